CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
        kind TEXT NOT NULL,                     -- climb, sweep, bench, compare, tune
        command TEXT NOT NULL,                  -- the command line's words, a JSON array
        request TEXT NOT NULL,                  -- JSON; equal where a run may go on with another's points
        started TEXT NOT NULL,                  -- RFC 3339, UTC
        finished TEXT,                          -- NULL until the last point is in
        points INTEGER NOT NULL,                -- points that it will have
        gpu TEXT NOT NULL,                      -- product name of the device
        device TEXT NOT NULL,                   -- JSON of the device's record
        revision TEXT,                          -- of the user's checkout, with a + when it had changes
        version TEXT NOT NULL                   -- of Lanework
    );
CREATE INDEX run_started ON run(started);
CREATE INDEX run_request ON run(request);
CREATE TABLE point (
        run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,              -- from 0
        outcome TEXT NOT NULL,                  -- done, skipped, failed
        why TEXT,                               -- why it was skipped or failed
        problem TEXT NOT NULL,                  -- JSON object of words
        record TEXT NOT NULL,                   -- JSON of the climb without its rungs, or null
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
CREATE TABLE entry (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run INTEGER NOT NULL,
        position INTEGER NOT NULL,
        place INTEGER NOT NULL,                 -- within the point, from 0
        kind TEXT NOT NULL,                     -- timed, counts, comparison, none
        ladder TEXT,
        name TEXT NOT NULL,                     -- of the rung, the kernel, the library's function
        file TEXT,
        verdict TEXT NOT NULL,                  -- verified, unverified, wrong, lower-precision, failed, skipped,
                                                -- invalid; fast, slow, ambiguous
        median_ns REAL, low_ns REAL, high_ns REAL,
        record TEXT NOT NULL,                   -- JSON of the rung or the comparison, or null
        timed TEXT,                             -- JSON of the timed record without its samples
        samples BLOB,                           -- see samples.rs
        UNIQUE (run, position, place),
        FOREIGN KEY (run, position) REFERENCES point(run, position) ON DELETE CASCADE
    );
CREATE INDEX entry_name ON entry(ladder, name);
INSERT INTO run VALUES (1, 'sweep', '["sweep","transpose"]', '{"size":[1]}', '2026-11-22T16:36:53Z', NULL, 1, 'NVIDIA H200', '{"name":"NVIDIA H200","backend":"cuda","driver":"580.65","uuid":"GPU-1","compute_capability":"9.0","multiprocessors":132}', 'abc1234+', '0.1.0');
INSERT INTO run VALUES (2, 'climb', '["sweep","transpose"]', '{}', '2026-11-22T16:36:53Z', NULL, 1, 'NVIDIA H200', '{"name":"NVIDIA H200","backend":"cuda","driver":"580.65","uuid":"GPU-1","compute_capability":"9.0","multiprocessors":132}', 'abc1234+', '0.1.0');
INSERT INTO point VALUES (1, 0, 'done', NULL, '{"rows":"1024"}', 'null');
INSERT INTO entry VALUES (1, 1, 0, 0, 'timed', 'transpose', 'padded', NULL, 'verified', 1000.0, 999.9, 1000.1, 'null', '{"accuracy":null,"bytes":8192,"cache":"cold","device":{"backend":"cuda","compute_capability":"9.0","driver":"580.65","multiprocessors":132,"name":"NVIDIA H200","uuid":"GPU-1"},"empty_ns":null,"floor_ns":null,"flops":0,"invalid":null,"problem":{"rows":"1024"},"protocol":2,"reset":{"rotation":{"copies":30}},"revision":"abc1234+","stop":"settled","subject":{"file":null,"kind":"rung","ladder":"transpose","name":"padded","ptx_hash":"0011223344556677"},"summary":{"count":101,"interval_ns":[999.9,1000.1],"median_ns":1000.0,"min_ns":999.5,"quartiles_ns":[999.7,1000.3]},"taken":"2026-11-22T16:00:00Z","timer":"events","verified":"reference","version":"0.1.0"}', X'016500000000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F409A999999993D8F4067666666663E8F4033333333333F8F400000000000408F40CDCCCCCCCC408F409999999999418F406666666666428F403333333333438F400000000000448F4000000000003C8F40CDCCCCCCCC3C8F405B5B3130312C7B22736D5F6D687A223A313938302C227761747473223A3530302E357D5D5D');
PRAGMA application_id = 1280202571;
PRAGMA user_version = 1;
