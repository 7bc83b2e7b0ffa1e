// Loads few things at a time, what is looked at first, and keeps the last few.
//
// What nobody wants any more is not asked for; what was asked for is waited for, though its
// answer is not used: a server goes on with its work when a client has left, and those who
// scroll fast would give it more than it can do.

export class Loader {
  /** @param load Gets a thing by its key and a signal. @param atOnce How many in flight.
   *  @param keep How many are kept. */
  constructor(load, { atOnce, keep }) {
    this.load = load;
    this.atOnce = atOnce;
    this.keep = keep;
    this.kept = new Map(); // the least recently used first
    this.wanted = new Map();
    this.running = 0;
  }

  /** A thing, if it is here. */
  peek(key) {
    const value = this.kept.get(key);
    if (value !== undefined) this.#use(key, value);
    return value;
  }

  /** Whether a thing is here, or asked for. */
  has(key) {
    return this.kept.has(key) || this.wanted.has(key);
  }

  /** A thing; several who want it share one request. */
  get(key, { signal } = {}) {
    const known = this.peek(key);
    if (known !== undefined) return Promise.resolve(known);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const order = this.wanted.get(key) ?? this.#order(key);
    order.waiting += 1;
    this.#begin();
    return new Promise((resolve, reject) => {
      const leave = () => {
        order.waiting -= 1;
        if (order.waiting === 0 && !order.begun) this.#drop(order);
        reject(signal.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      const done = () => signal?.removeEventListener('abort', leave);
      order.promise.then((value) => (done(), resolve(value)), (error) => (done(), reject(error)));
    });
  }

  close() {
    for (const order of [...this.wanted.values()]) this.#drop(order);
    this.kept.clear();
  }

  #order(key) {
    const order = { key, waiting: 0, begun: false, aborting: new AbortController() };
    order.promise = new Promise((resolve, reject) => Object.assign(order, { resolve, reject }));
    order.promise.catch(() => {}); // each who waits is told on its own
    this.wanted.set(key, order);
    return order;
  }

  #drop(order) {
    if (this.wanted.get(order.key) === order) this.wanted.delete(order.key);
    order.aborting.abort();
    if (!order.begun) order.reject(order.aborting.signal.reason);
  }

  #begin() {
    while (this.running < this.atOnce) {
      const all = [...this.wanted.values()].filter((order) => !order.begun);
      if (!all.length) return;
      this.#run(all.at(-1)); // what was wanted last is what is looked at
    }
  }

  async #run(order) {
    order.begun = true;
    this.running += 1;
    try {
      const value = await this.load(order.key, order.aborting.signal);
      this.#use(order.key, value);
      order.resolve(value);
    } catch (error) {
      order.reject(error);
    } finally {
      this.running -= 1;
      if (this.wanted.get(order.key) === order) this.wanted.delete(order.key);
      this.#begin();
    }
  }

  #use(key, value) {
    this.kept.delete(key);
    if (this.keep === 0) return;
    this.kept.set(key, value);
    while (this.kept.size > this.keep) this.kept.delete(this.kept.keys().next().value);
  }
}
