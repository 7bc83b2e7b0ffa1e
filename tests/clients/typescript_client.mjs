// The client in clients/typescript, told by JSON what to do:
//
//     node typescript_client.mjs FOLDER URL KEY < calls.json
//
// FOLDER holds the package as it is built; the `answers` that are printed are those of
// generated_python.py.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, url, key] = process.argv.slice(2);
const { Client, PagetideError } = await import(pathToFileURL(`${folder}/index.js`));
const client = new Client(url, key);

async function read(path) {
  const options = { name: basename(path), model: "fake", pages: "1-2", formats: ["md"] };
  const { id } = await client.submit(new Blob([readFileSync(path)]), options);
  const job = await client.wait(id);
  const document = await client.document(id);
  return {
    status: job.status,
    lines: document.pages[0].lines.map((line) => line.text),
    pages: document.pages.length,
    corner: document.pages[0].lines[0].polygon[0],
    markdown: await (await client.result(id, "md")).text(),
  };
}

async function reviewed(path) {
  const options = { model: "fake", review_sample: 1 };
  const { id } = await client.submit(new Blob([readFileSync(path)]), options);
  await client.wait(id);
  const review = await client.claimReview("Ann");
  const [place] = review.places;
  const corrections = [{ page: place.page, line: place.line, old: place.text, new: "as it is" }];
  const closed = await client.closeReview(review, corrections);
  const found = await client.extract(id, { queries: ["What?"] }).catch(refusal);
  return { job: closed.job_id === id, state: closed.state, by: closed.by, found };
}

function refusal(error) {
  if (!(error instanceof PagetideError)) throw error;
  return { refused: error.problem.code };
}

const answers = [];
const paths = JSON.parse(readFileSync(0));
for (const path of paths) answers.push(await read(path).catch(refusal));
console.log(JSON.stringify({ answers, reviewed: await reviewed(paths[0]) }));
