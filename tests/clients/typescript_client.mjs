// The client in clients/typescript, told by JSON what to do:
//
//     node typescript_client.mjs FOLDER URL KEY < calls.json
//
// FOLDER holds the package as it is built; what is printed is that of generated_python.py.
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

function refusal(error) {
  if (!(error instanceof PagetideError)) throw error;
  return { refused: error.problem.code };
}

const answers = [];
for (const path of JSON.parse(readFileSync(0))) answers.push(await read(path).catch(refusal));
console.log(JSON.stringify(answers));
