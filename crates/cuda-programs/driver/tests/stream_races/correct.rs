//! Correct programs: no finding is allowed.

use crate::Scenario;
use crate::children::{NONE, TAIL, WAITS, WRITES, WRITES_LATE, spread};
use crate::gpu::*;
use crate::pools::Pool;

/// Programs by name.
pub const ALL: &[Scenario] = &[
    ("one stream", || {
        let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        gpu.copy(y, x, a);
        copy_async(pinned(), y, a);
        set_async(x, a);
    }),
    ("an event", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        after(a, b);
        gpu.copy(y, x, b);
    }),
    ("a chain of events", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        let c = blocking();
        gpu.fill(x, a);
        after(a, c);
        after(c, b);
        gpu.copy(y, x, b);
    }),
    ("an event that is recorded again later", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        let event = event();
        gpu.fill(x, a);
        record(event, a);
        wait(b, event);
        record(event, a);
        gpu.copy(y, x, b);
    }),
    ("a stream is synchronized", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        synchronize(a);
        gpu.copy(y, x, b);
    }),
    ("the context is synchronized", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        synchronize_all();
        gpu.copy(y, x, b);
    }),
    ("an event is synchronized", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        let event = event();
        record(event, a);
        synchronize_event(event);
        gpu.copy(y, x, b);
    }),
    ("the host asks until a stream has ended", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        while call!("cuStreamQuery"(a => u64)) != 0 {}
        gpu.copy(y, x, b);
    }),
    ("a host thread synchronizes for another", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        std::thread::spawn(move || synchronize(a)).join().expect("a thread");
        gpu.copy(y, x, b);
    }),
    ("the default stream waits for blocking streams, and they for it", || {
        let (gpu, x, y) = (Gpu::new(), buffer(), buffer());
        let (a, b) = (blocking(), blocking());
        gpu.fill(x, a);
        gpu.copy(y, x, 0);
        gpu.fill(y, b);
        gpu.fill(x, b);
    }),
    ("the default stream lies between two blocking streams", || {
        let (gpu, x, y, z) = (Gpu::new(), buffer(), buffer(), buffer());
        let (a, b) = (blocking(), blocking());
        gpu.fill(x, a);
        gpu.fill(z, 0);
        gpu.copy(y, x, b);
    }),
    ("a copy to the host waits", || {
        let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, 0);
        copy(pageable(), x);
        gpu.copy(y, x, a);
        gpu.fill(x, a);
    }),
    ("a copy from pinned memory waits", || {
        let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
        copy(x, pinned());
        gpu.copy(y, x, a);
    }),
    ("a copy between buffers, and a blocking stream", || {
        let (gpu, x, y) = (Gpu::new(), buffer(), buffer());
        copy(x, y);
        gpu.fill(y, blocking());
    }),
    ("a fill of pinned memory waits", || {
        let (gpu, h, (a, _)) = (Gpu::new(), pinned(), two());
        set(h);
        gpu.count(h, a);
    }),
    ("an asynchronous copy to pageable memory waits", || {
        let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
        copy_async(pageable(), x, a);
        gpu.fill(x, b);
    }),
    ("two readers", || {
        let (gpu, x, y, z, (a, b)) = (Gpu::new(), buffer(), buffer(), buffer(), two());
        gpu.copy(y, x, a);
        gpu.copy(z, x, b);
        copy_async(pinned(), x, non_blocking());
    }),
    ("atomics of two kernels", || {
        let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
        gpu.count(x, a);
        gpu.count(x, b);
    }),
    ("halves of a buffer", || {
        let (gpu, x, (a, b)) = (Gpu::new(), crate::common::allocate(2 * BYTES), two());
        gpu.fill(x, a);
        gpu.fill(x + BYTES as u64, b);
    }),
    ("interleaved words of a buffer", || {
        let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
        gpu.words(x, 0, a);
        gpu.words(x, 1, b);
    }),
    ("columns side by side", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        columns_async(x, 0, y, a);
        columns_async(x, 4, y, b);
        gpu.fill(buffer(), a);
    }),
    ("a pipeline of copies and kernels in two streams", || {
        let (gpu, h, (a, b)) = (Gpu::new(), pinned(), two());
        let buffers = [buffer(), buffer()];
        for turn in 0..6 {
            let (x, stream) = (buffers[turn % 2], [a, b][turn % 2]);
            copy_async(x, h, stream);
            gpu.count(x, stream);
        }
        synchronize_all();
        copy(pageable(), buffers[0]);
    }),
    ("stream-ordered memory with events", || {
        let (gpu, (a, b)) = (Gpu::new(), two());
        for _ in 0..3 {
            let x = allocate_async(a);
            after(a, b);
            gpu.fill(x, b);
            after(b, a);
            free_async(x, a);
        }
    }),
    ("memory of two streams at one address, one after the other", || {
        let (gpu, (a, b)) = (Gpu::new(), two());
        for stream in [a, b, a, b] {
            let x = allocate_async(stream);
            gpu.fill(x, stream);
            free_async(x, stream);
        }
        let x = buffer();
        gpu.fill(x, a);
        free(x);
        let x = crate::common::allocate(BYTES);
        gpu.fill(x, b);
    }),
    ("branches of a graph on buffers of their own", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        begin_capture(a);
        after(a, b);
        gpu.fill(x, a);
        gpu.fill(y, b);
        after(b, a);
        gpu.copy(y, x, a);
        let graph = instantiate(end_capture(a));
        launch_graph(graph, a);
        launch_graph(graph, b);
        synchronize(b);
        gpu.fill(x, non_blocking());
    }),
    ("a callback", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.fill(x, a);
        call_host(a);
        gpu.copy(y, x, b);
    }),
    ("a wait for a value that another stream writes", || {
        let (gpu, x, y, flag, (a, b)) = (Gpu::new(), buffer(), buffer(), buffer(), two());
        gpu.fill(x, a);
        write_value(flag, a);
        wait_value(flag, b);
        gpu.copy(y, x, b);
    }),
    ("a wait for a value that another stream writes later", || {
        let (gpu, x, y, flag, (a, b)) = (Gpu::new(), buffer(), buffer(), buffer(), two());
        wait_value(flag, b);
        gpu.copy(y, x, b);
        gpu.fill(x, a);
        write_value(flag, a);
        synchronize_all();
    }),
    ("the host uses memory of copies that it has waited for", || {
        let (gpu, x, host, (a, _)) = (Gpu::new(), buffer(), pinned(), two());
        for _ in 0..3 {
            change(host);
            copy_async(x, host, a);
            look(host);
            gpu.fill(x, a);
            copy_async(host, x, a);
            let event = event();
            record(event, a);
            synchronize_event(event);
            look(host);
        }
    }),
    ("the host fills one buffer while another is copied", || {
        let (x, (a, _)) = (filled(), two());
        let hosts = [pinned(), pinned()];
        let events = [event(), event()];
        for round in 0..6 {
            let turn = round % 2;
            if round >= 2 {
                synchronize_event(events[turn]);
            }
            change(hosts[turn]);
            copy_async(x, hosts[turn], a);
            record(events[turn], a);
        }
    }),
    ("the host uses one part of a buffer while another is copied", || {
        let (x, (a, _)) = (filled(), two());
        let host = pinned_bytes(5000);
        copy_bytes_async(host, x, 2500, a);
        change(host + 2500);
        look(host + 4096);
        copy_bytes_async(x, host + 2500, 2500, a);
        synchronize(a);
        look(host);
    }),
    ("a copy to pinned memory that is freed", || {
        let (x, (a, _)) = (filled(), two());
        for _ in 0..4 {
            let host = pinned();
            copy_async(host, x, a);
            free_pinned(host);
        }
        let host = pinned();
        look(host);
        change(host);
    }),
    ("a synchronous copy to pinned memory", || {
        let (x, host) = (filled(), pinned());
        copy(host, x);
        look(host);
        copy(x, host);
        change(host);
    }),
    ("a copy that another one follows", || {
        let (gpu, x, host, (a, _)) = (Gpu::new(), buffer(), pinned(), two());
        copy_async(host, x, a);
        copy_async(x, host, a);
        gpu.fill(host, a);
        synchronize(a);
        change(host);
    }),
    ("children of one stream", || spread(filled(), 1, WRITES | WAITS, [0, 0])),
    ("a child behind a barrier of its parent", || spread(filled(), 1, WRITES | WAITS, [0, NONE])),
    ("a tail launch", || spread(filled(), 1, WRITES | WAITS | WRITES_LATE, [TAIL, NONE])),
    ("a tail launch after a child", || spread(filled(), 1, WRITES | WAITS, [TAIL, 0])),
    ("memory that is freed", || free(filled())),
    ("parts of a pool that are handed out again", || {
        let (gpu, pool) = Pool::new();
        for round in 0..3 {
            let parts = [0, 1, 2].map(|at| pool.part(4096 * at + 64 * round, BYTES));
            parts.iter().for_each(|part| gpu.fill(*part, 0));
            copy(parts[0], parts[2]);
            synchronize_all();
            parts.iter().for_each(|part| pool.free(*part));
        }
    }),
    ("a lock of two kernels", || {
        let (gpu, x, mutex, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.lock(x, mutex, a);
        gpu.lock(x, mutex, b);
    }),
    ("a flag of two kernels", || {
        let (gpu, x, flag, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.signal(x, flag, a);
        gpu.follow(x, flag, b);
        gpu.fill(x, b);
    }),
    ("a flag that is waited for beside the program", || {
        let (gpu, x, flag, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        gpu.follow(x, flag, b);
        gpu.signal(x, flag, a);
        gpu.fill(x, b);
        synchronize_all();
    }),
    ("thousands of launches of two streams", || {
        let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
        for _ in 0..1000 {
            gpu.words(x, 0, a);
            gpu.words(x, 1, b);
        }
        after(a, b);
        gpu.copy(y, x, b);
    }),
    ("a stream that ends", || {
        let (gpu, x) = (Gpu::new(), buffer());
        for _ in 0..20 {
            let stream = non_blocking();
            gpu.fill(x, stream);
            synchronize(stream);
            assert_eq!(call!("cuStreamDestroy"(stream => u64)), 0);
        }
    }),
    ("the host reads managed memory after it has waited for a kernel", || {
        let (gpu, x, (a, _)) = (Gpu::new(), managed(), two());
        change(x);
        gpu.fill(x, a);
        synchronize(a);
        look(x);
        change(x);
    }),
    ("the host reads managed memory that a kernel reads, too", || {
        let (gpu, x, y, (a, _)) = (Gpu::new(), managed(), buffer(), two());
        gpu.fill(x, a);
        synchronize(a);
        gpu.copy(y, x, a);
        look(x);
        synchronize(a);
        change(x);
    }),
    ("the host uses other words of a page than a kernel", || {
        let (gpu, x, (a, _)) = (Gpu::new(), pinned(), two());
        gpu.words(x, 0, a);
        change(x + 4092);
        synchronize_all();
    }),
];
