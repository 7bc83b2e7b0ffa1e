// Why the server did not do what it was asked, in one sentence for a person.

export class Problem extends Error {
  constructor({ code = 'unknown', status = 0, detail = '', retryable = false }) {
    super(detail);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.retryable = retryable;
  }
}

/** The problem that an answer tells of; a proxy's own error page is one too. */
export async function problemOf(answer) {
  const told = await answer.json().catch((error) => {
    if (error.name === 'AbortError') throw error;
    return null;
  });
  if (told?.code) return new Problem(told);
  return new Problem({
    code: 'server_error',
    status: answer.status,
    detail: `The server, or a proxy in front of it, answered with status ${answer.status}.`,
    retryable: answer.status >= 500,
  });
}

/** What to tell a person of anything that was thrown; empty where somebody stopped it. */
export function sentence(error) {
  if (error?.name === 'AbortError') return '';
  if (error instanceof Problem) return error.message;
  console.error(error);
  return 'Something went wrong in this page.';
}
