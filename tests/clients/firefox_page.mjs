// A person's way through the page in Firefox, with what reads documents as it is shipped:
//
//     node firefox_page.mjs PARTS FIREFOX URL DOCUMENT
//
// PARTS holds the modules of tests/parts/npm. What was seen on the way is printed as JSON.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const [parts, firefox, url, document_] = process.argv.slice(2);
const modules = join(parts, "node_modules");
const driver = join(modules, "puppeteer-core", "lib", "esm", "puppeteer", "puppeteer-core.js");
const axe = readFileSync(join(modules, "axe-core", "axe.min.js"), "utf8");
const { default: puppeteer } = await import(pathToFileURL(driver));
const name = basename(document_);
const PATIENCE_MS = 120_000;
const WIDTHS = [1280, 390];

const browser = await puppeteer.launch({ browser: "firefox", executablePath: firefox, headless: true });
const seen = { version: await browser.version(), complaints: [], grave: {}, tabs: {}, wider: [] };
try {
  await visit();
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));

async function visit() {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => seen.complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && seen.complaints.push(message.text()));
  await page.goto(`${url}/`);
  await page.waitForSelector(".model");
  await look(page, "start");
  await (await page.$("#files")).uploadFile(document_);
  await page.waitForFunction(() => location.hash.startsWith("#/jobs/"));
  await readDocument(page);
  await look(page, "viewer");
  await throughTabs(page);
  await page.evaluate(() => (location.hash = "#/jobs"));
  await page.waitForFunction(
    (told) => [...document.querySelectorAll("tbody tr")].some((row) => row.textContent.includes(told)), {}, name);
  await look(page, "jobs");
  await erase(page);
  await page.evaluate(() => (location.hash = "#/operations"));
  await page.waitForSelector(".view-operations .card");
  await look(page, "operations");
}

async function readDocument(page) {
  await page.waitForSelector("#panel-document .reading-page p[data-at]");
  await page.waitForFunction(() => document.querySelector(".job-bar .badge")?.textContent === "Read");
  seen.text = await page.$eval("#panel-document", (panel) => panel.textContent);
  await page.waitForSelector(".paper img, .paper canvas");
  await page.click("#panel-document .reading-page p[data-at]");
  await page.waitForSelector(".chosen");
  seen.chosen = await page.$$eval(".chosen", (marks) => marks.length);
}

/** Opens each tab, and notes how much it shows. */
async function throughTabs(page) {
  for (const tab of await page.$$("[role=tab]")) {
    const panel = await tab.evaluate((one) => one.getAttribute("aria-controls"));
    await tab.evaluate((one) => one.click());
    await page.waitForFunction((id) => document.getElementById(id)?.textContent.trim(), {}, panel);
    seen.tabs[panel] = await page.$eval(`#${panel}`, (one) => one.textContent.trim().length);
  }
}

async function erase(page) {
  const row = await page.evaluateHandle(
    (told) => [...document.querySelectorAll("tbody tr")].find((one) => one.textContent.includes(told)), name);
  const button = await row.evaluateHandle(
    (one) => [...one.querySelectorAll("button")].find((each) => each.textContent === "Erase"));
  await button.evaluate((one) => one.click());
  await page.waitForSelector("dialog[open]");
  await page.evaluate(
    () => [...document.querySelectorAll("dialog[open] button")].find((each) => each.textContent === "Erase").click());
  await page.waitForFunction(
    (told) => ![...document.querySelectorAll("tbody a")].some((one) => one.textContent === told), {}, name);
  seen.erased = true;
}

/** What axe finds serious, and whether anything is wider than the window, on a desk and a phone. */
async function look(page, view) {
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 800 });
    await page.evaluate(`${axe}; undefined`);
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    seen.grave[`${view} ${width}`] = grave.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
    const across = await page.evaluate(() => document.documentElement.scrollWidth);
    if (across > width) seen.wider.push(`${view}: ${across} of ${width} pixels`);
  }
  await page.setViewport({ width: WIDTHS[0], height: 800 });
}
