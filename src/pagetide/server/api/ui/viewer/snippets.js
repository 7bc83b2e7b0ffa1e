// Programs that do what this page did: submit the document, and get its result.

const asText = (value) => JSON.stringify(value);
const inShell = (value) => (/^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** @param root The server's address, without a slash at its end. @param hasKey Whether it asks for one.
 *  @returns Each language's program, by its name. */
export function snippetsOf({ root, job, hasKey }) {
  const name = job.source.name || 'document.pdf';
  const fields = Object.entries({ model: job.model, languages: job.languages.join(','), pages: job.pages ?? '' }).filter(([, value]) => value);
  const told = { root, name, fields, hasKey, kept: `${name.replace(/(?<=.)\.[^.]*$/, '')}.md` };
  return new Map([['curl', curl(told)], ['Python', python(told)], ['JavaScript', script(told)]]);
}

function curl({ root, name, fields, hasKey }) {
  const key = hasKey ? '-H "Authorization: Bearer $PAGETIDE_KEY" ' : '';
  const given = [...fields.map(([field, value]) => `${field}=${value}`), `file=@${/[;,"]/.test(name) ? `"${name.replaceAll('"', '\\"')}"` : name}`];
  return `# The answer tells the job's id.
curl -s ${key}${given.map((one) => `-F ${inShell(one)}`).join(' ')} ${inShell(`${root}/v1/jobs`)}

# Its result, as soon as it is there.
curl -s ${key}"${root}/v1/jobs/$ID/result?format=md&wait=60"
`;
}

function python({ root, name, fields, hasKey, kept }) {
  const key = hasKey ? ', key=os.environ["PAGETIDE_KEY"]' : '';
  const given = fields.map(([field, value]) => `, ${field}=${asText(field === 'languages' ? value.split(',') : value)}`).join('');
  return `${hasKey ? 'import os\n\n' : ''}import pagetide

with pagetide.Client(${asText(root)}${key}) as client:
    job = client.submit(${asText(name)}${given})
    client.save(job, ${asText(kept)}, format="md")
`;
}

function script({ root, name, fields, hasKey }) {
  const key = hasKey ? ', headers' : '';
  return `import { openAsBlob } from 'node:fs';

const server = ${asText(root)};
${hasKey ? 'const headers = { Authorization: `Bearer ${process.env.PAGETIDE_KEY}` };\n' : ''}const body = new FormData();
${fields.map(([field, value]) => `body.set(${asText(field)}, ${asText(value)});\n`).join('')}body.set('file', await openAsBlob(${asText(name)}), ${asText(name)});
const job = await (await fetch(\`\${server}/v1/jobs\`, { method: 'POST', body${key} })).json();
const result = await fetch(\`\${server}/v1/jobs/\${job.id}/result?format=md&wait=60\`${hasKey ? ', { headers }' : ''});
console.log(await result.text());
`;
}
