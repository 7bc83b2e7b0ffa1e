/** Pagetide's HTTP API. `api.ts` is generated; this is what is not. */

import type { components, operations } from "./api.js";

export type Job = components["schemas"]["JobView"];
export type Document = components["schemas"]["Document"];
export type Problem = components["schemas"]["Problem"];
export type Options = Partial<components["schemas"]["JobForm"]> & { name?: string };
export type Extraction = components["schemas"]["Extraction"];
export type Wanted = Pick<components["schemas"]["ExtractForm"], "schema" | "queries">;
export type Review = components["schemas"]["ReviewView"];
export type Correction = components["schemas"]["CorrectionForm"];
export type Format = NonNullable<operations["get_result"]["parameters"]["query"]>["format"];

/** What the server refused; `problem.code` is stable. */
export class PagetideError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export class Client {
  constructor(private readonly url: string, private readonly key?: string) {}

  /** Sends a document to be read. */
  async submit(document: Blob, options: Options = {}): Promise<Job> {
    const form = new FormData();
    for (const [name, value] of Object.entries(options))
      if (value != null) form.set(name, inForm(value));
    form.set("file", document, options.name ?? "document");
    return (await this.ask("/v1/jobs", { method: "POST", body: form })).json();
  }

  /** The job once it has ended, however it ended. */
  async wait(id: string): Promise<Job> {
    for (;;) {
      const job: Job = await (await this.ask(`/v1/jobs/${id}?wait=60`)).json();
      if (job.status !== "queued" && job.status !== "running") return job;
    }
  }

  /** The result in a format, as soon as it is there. */
  async result(id: string, format: Format = "json"): Promise<Response> {
    for (;;) {
      const answer = await this.ask(`/v1/jobs/${id}/result?format=${format}&wait=60`);
      if (answer.status !== 202) return answer;
    }
  }

  /** The document as soon as it is read. */
  async document(id: string): Promise<Document> {
    return (await this.result(id)).json();
  }

  /** Values for a schema, or answers to questions, each with where it stands. */
  async extract(id: string, wanted: Wanted): Promise<Extraction> {
    for (;;) {
      const answer = await this.post("/v1/extract", { job: id, wait: 60, ...wanted });
      if (answer.status !== 202) return answer.json();
    }
  }

  /** The document that has waited longest for a review; nobody else gets it until `until`. */
  async claimReview(by = ""): Promise<Review | undefined> {
    const answer = await this.post("/v1/reviews/next", { by });
    return answer.status === 204 ? undefined : answer.json();
  }

  /** Says that all of a document has been looked at; without corrections it is accepted. */
  async closeReview(review: Review, corrections: Correction[] = []): Promise<Review> {
    const said = { token: review.token, corrections };
    return (await this.post(`/v1/jobs/${review.job_id}/review`, said)).json();
  }

  private post(path: string, said: object): Promise<Response> {
    const headers = { "Content-Type": "application/json" };
    return this.ask(path, { method: "POST", headers, body: JSON.stringify(said) });
  }

  private async ask(path: string, request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    if (this.key) headers.set("Authorization", `Bearer ${this.key}`);
    const answer = await fetch(this.url + path, { ...request, headers });
    if (!answer.ok) throw new PagetideError(await answer.json());
    return answer;
  }
}

/** Lists are split by commas there, and objects are JSON. */
function inForm(value: unknown): string {
  const isObject = typeof value === "object" && !Array.isArray(value);
  return isObject ? JSON.stringify(value) : String(value);
}
