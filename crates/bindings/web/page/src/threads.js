// Threads of the module. Each runs in a worker of its own, which the page starts in advance, because a worker that waits cannot start another
// one. Workers and threads meet in a shared array: after four common words, each worker has its state, and the thread that it runs.

const FREED = 0, LAST = 1, BUSY = 2, MOST = 3, FIRST = 4, WORDS = 3;
const ABSENT = 0, IDLE = 1, CLAIMED = 2, CALLED = 3;
const TRY_AGAIN = -6;

/** Milliseconds in which a worker has to become free. */
const PATIENCE = 2000;

/** The shared array for a number of workers. */
export const makeThreads = (workers) => new Int32Array(new SharedArrayBuffer(4 * (FIRST + WORDS * workers)));

const count = (threads) => (threads.length - FIRST) / WORDS;

/** Starts a thread, from any thread: its number, or a negative error. */
export function spawn(threads, start) {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const freed = Atomics.load(threads, FREED);
    for (let worker = 0; worker < count(threads); worker += 1) {
      const at = FIRST + WORDS * worker;
      if (Atomics.compareExchange(threads, at, IDLE, CLAIMED) !== IDLE) continue;
      const number = Atomics.add(threads, LAST, 1) + 1;
      threads[at + 1] = number;
      threads[at + 2] = start;
      const busy = Atomics.add(threads, BUSY, 1) + 1;
      if (busy > Atomics.load(threads, MOST)) Atomics.store(threads, MOST, busy);
      Atomics.store(threads, at, CALLED);
      Atomics.notify(threads, at);
      return number;
    }
    const rest = until - performance.now();
    if (rest <= 0 || count(threads) === 0) return TRY_AGAIN;
    Atomics.wait(threads, FREED, freed, rest);
  }
}

/** Runs threads in this worker, one after another, forever. */
export function serve(threads, worker, run) {
  const at = FIRST + WORDS * worker;
  for (;;) {
    Atomics.store(threads, at, IDLE);
    Atomics.add(threads, FREED, 1);
    Atomics.notify(threads, FREED);
    while (Atomics.load(threads, at) !== CALLED) Atomics.wait(threads, at, Atomics.load(threads, at) === CLAIMED ? CLAIMED : IDLE);
    run(threads[at + 1], threads[at + 2]);
    Atomics.sub(threads, BUSY, 1);
  }
}

/** The largest number of threads at the same time since the last call, with the caller's own. */
export function takeMost(threads) {
  return 1 + Atomics.exchange(threads, MOST, Atomics.load(threads, BUSY));
}

/** Whether all workers are ready. */
export const allReady = (threads) => [...Array(count(threads)).keys()].every((worker) => Atomics.load(threads, FIRST + WORDS * worker) !== ABSENT);

/** Shared memory for the module, as large as the browser allows; `null` if it allows none. */
export function sharedMemory() {
  for (const maximum of [65536, 32768, 16384]) {
    try { return new WebAssembly.Memory({ initial: 1024, maximum, shared: true }); } catch { /* the next size */ }
  }
  return null;
}
