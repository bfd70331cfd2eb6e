// The words of the page in both languages, and the translation of messages of the emulator by the same catalogs that the command has.

const chinese = {
  skip: "跳到编辑器", lab: "实验室", open: "打开", actions: "操作", run: "运行", check: "检查", measure: "测量", stop: "停止", keep: "保存为 A", share: "分享", other: "English", theme: "主题", source: "源代码", launch: "启动", results: "结果",
  programs: "程序", kernels: "单个核函数", lessons: "课程", compare_group: "对比", shared: "分享的代码", own: "自己的代码",
  output: "输出", findings: "问题", accesses: "内存访问", steps: "单步", counts: "计数", time: "预测时间", compare: "对比", ptx: "PTX",
  program: "整个程序（main）", what: "运行", grid: "网格", block: "线程块", shared_bytes: "动态共享内存（字节）", arguments: "参数", input: "标准输入", limit: "指令上限", memory: "显存（MiB）", gpus: "预测的 GPU", settings: "设置",
  loading: "正在加载仿真器", ready: "就绪", offline: "可离线使用", running: "运行中", stopped: "已停止", failed: "仿真器失败，已重新启动", not_compiled: "无法编译", exit: "退出码", no_findings: "没有发现问题", found: "个问题", found_one: "个问题", solved: "已完成", not_solved: "尚未完成", hints: "提示", check_lesson: "检查答案", goal: "目标", next_lesson: "下一课",
  notes: "课程笔记的程序", solution: "显示这一级的核函数", yours: "你的核函数", rung: "级", rungs: "各级的计数和预测时间", load_sectors: "每次加载的扇区", store_sectors: "每次存储的扇区", shared_loads: "共享内存加载", registers_here: "寄存器", reads: "读", writes: "写", all_lanes: "所有 lane",
  nothing_yet: "还没有结果：", press_run: "按“运行”。", press_check: "按“检查”：检查核函数的每次访问。", press_measure: "按“测量”：计数、内存访问图和预测时间。", line: "行", thread: "线程", of_block: "所在线程块", other_access: "另一次访问", times: "次", kernel: "核函数", launches: "次启动", warp_instructions: "warp 指令", share_of: "占比", optimum: "最优", requests: "请求", sectors: "扇区", wavefronts: "波次", conflicts: "bank 冲突", divergent: "分歧分支", per_request: "每次请求", remark: "说明", code: "代码", value: "值", counter: "计数", gpu: "GPU", predicted: "预测", interval: "80 % 区间", limiter: "瓶颈", occupancy: "驻留线程块", lost: "损失最多的行", version_a: "版本 A", version_b: "当前版本", ratio: "比值", verdict: "结论", faster: "更快", slower: "更慢", unclear: "差别在误差之内", kept: "已保存为 A：修改代码后再次测量", no_a: "先按“保存为 A”，修改代码，再测量。", copied: "链接已复制到剪贴板", link: "链接", look_line: "行", look_block: "线程块", look_warp: "warp", look_launch: "启动", show: "显示", used: "线程使用的字节", wasted: "取来但未使用", free: "未访问的扇区；每行 128 字节", bank_ok: "一个波次", bank_bad: "bank 冲突", lane: "lane", lanes: "lanes", offset: "偏移", element: "元素", bank: "bank", step: "步", of: "/", active: "个活动 lane", previous: "上一步", next: "下一步", previous_here: "本行的上一步", next_here: "本行的下一步", play: "播放", pause: "暂停", warps_over_time: "各 warp 的活动 lane 随时间的变化", memory_after: "启动后的内存", changed: "已改变", unchanged: "未改变", more: "还有", took: "用时", speed: "M warp 指令/秒", omitted: "步被省略", no_access: "这一行不访问全局或共享内存", per_gpu: "冷缓存；一次启动", instructions_of: "指令", registers: "寄存器", shared_memory: "共享内存", fault: "核函数出错", all_output: "全部输出", characters_omitted: "个字符未显示", program_stopped: "程序出错", slow_compile: "编译超过 15 秒，已停止：源代码中可能有不结束的 constexpr 循环", wrong_extents: "不是一到三个大于 0 的整数，例如 16 或 4x4", wrong_bytes: "不是从 0 开始的整数", too_deep: "源代码嵌套太深，超出浏览器的栈：请缩短表达式或减少嵌套", no_memory: "浏览器的内存不够：请减小程序的数组或输出", host_thread: "个线程", host_threads: "个线程", threads: "主机线程", no_threads: "浏览器不让此页面共享内存",
};

const english = {
  other: "中文", programs: "Programs", kernels: "Single kernels", lessons: "Lessons", compare_group: "Comparisons", shared: "Shared code", own: "Your code",
  output: "Output", findings: "Findings", accesses: "Memory", steps: "Steps", counts: "Counts", time: "Predicted time", compare: "Compare", ptx: "PTX",
  program: "the whole program (main)", what: "Run", grid: "Grid", block: "Block", shared_bytes: "Dynamic shared memory (bytes)", arguments: "Arguments", input: "Standard input", limit: "Instruction limit", memory: "Device memory (MiB)", gpus: "Predict for", settings: "Settings",
  loading: "Loading the emulator", ready: "Ready", offline: "works offline", running: "Running", stopped: "Stopped", failed: "The emulator failed and was restarted", not_compiled: "This does not compile", exit: "exit code", no_findings: "nothing to report", found: "findings", found_one: "finding", solved: "Solved", not_solved: "Not solved yet", hints: "Hints", check_lesson: "Check the solution", goal: "Goal", next_lesson: "Next lesson",
  notes: "Programs of course notes", solution: "Show this rung's kernel", yours: "Your kernel", rung: "Rung", rungs: "Counts and predicted times of rungs", load_sectors: "sectors per load", store_sectors: "sectors per store", shared_loads: "shared loads", registers_here: "Registers", reads: "reads", writes: "writes", all_lanes: "all lanes",
  nothing_yet: "No result yet.", press_run: "Press Run.", press_check: "Press Check: it checks every access of the kernels.", press_measure: "Press Measure: it counts, draws memory accesses and predicts times.", line: "line", thread: "thread", of_block: "of block", other_access: "the other access", times: "times", kernel: "Kernel", launches: "launches", warp_instructions: "warp instructions", share_of: "share", optimum: "optimum", requests: "requests", sectors: "sectors", wavefronts: "wavefronts", conflicts: "bank conflicts", divergent: "divergent branches", per_request: "per request", remark: "remark", code: "Code", value: "Value", counter: "Counter", gpu: "GPU", predicted: "Predicted", interval: "80 % interval", limiter: "Limited by", occupancy: "Resident blocks", lost: "Lines that lose the most cycles", version_a: "Version A", version_b: "This version", ratio: "Ratio", verdict: "Verdict", faster: "faster", slower: "slower", unclear: "within the uncertainty", kept: "Kept as A: change the code and measure again", no_a: "Press Keep as A, change the code, and measure again.", copied: "The link is on the clipboard", link: "Link", look_line: "Line", look_block: "Block", look_warp: "Warp", look_launch: "Launch", show: "Show", used: "bytes that lanes use", wasted: "fetched but unused", free: "sectors not accessed; a row is 128 bytes", bank_ok: "one wavefront", bank_bad: "a bank conflict", lane: "lane", lanes: "lanes", offset: "offset", element: "element", bank: "bank", step: "step", of: "of", active: "active lanes", previous: "Previous", next: "Next", previous_here: "Previous on this line", next_here: "Next on this line", play: "Play", pause: "Pause", warps_over_time: "Active lanes of each warp over time", memory_after: "Memory after the launch", changed: "changed", unchanged: "not changed", more: "more", took: "took", speed: "M warp instructions/s", omitted: "steps omitted", no_access: "this line accesses no global or shared memory", per_gpu: "cold caches, one launch", instructions_of: "instructions", registers: "registers", shared_memory: "shared memory", fault: "The kernel stopped", all_output: "all output", characters_omitted: "characters omitted", program_stopped: "The program stopped", slow_compile: "The compilation took more than 15 s and was stopped: a constexpr loop may not end", wrong_extents: "is not one to three whole numbers above 0, such as 16 or 4x4", wrong_bytes: "is not a whole number from 0", too_deep: "the source is nested too deeply for the browser's stack: shorten its expressions, or nest less", no_memory: "the browser has no more memory: use smaller arrays, or print less", host_thread: "thread", host_threads: "threads", threads: "Host threads", no_threads: "the browser lets this page share no memory",
};

let isChinese = false;
let catalog = [];

/** Whether the page is in Chinese. */
export const chineseNow = () => isChinese;

/** The word for a key. */
export const say = (key) => (isChinese ? chinese[key] : english[key]) ?? english[key] ?? key;

const first = new Map();

/** Sets the language of the page's fixed texts. */
export async function setLanguage(code) {
  isChinese = code === "zh";
  document.documentElement.lang = isChinese ? "zh-CN" : "en";
  for (const one of document.querySelectorAll("[data-say]")) {
    if (!first.has(one)) first.set(one, one.textContent);
    one.textContent = isChinese ? chinese[one.dataset.say] : english[one.dataset.say] ?? first.get(one);
  }
  document.getElementById("language").lang = isChinese ? "en" : "zh-CN";
  if (isChinese && catalog.length === 0) {
    const found = await fetch("zh.json").then((response) => response.json()).catch(() => []);
    catalog = found.map(([template, text]) => ({ text, pattern: pattern(template) }));
    // The longest fixed part first: it is the most specific.
    catalog.sort((a, b) => b.pattern.fixed - a.pattern.fixed);
  }
}

function pattern(template) {
  const names = [];
  let fixed = 0;
  const parts = template.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 1) { names.push(part); return "([^]*?)"; }
    fixed += part.length;
    return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return { regex: new RegExp(`^${parts.join("")}$`), names, fixed };
}

/** A message of the emulator in the page's language. */
export function told(message) {
  if (!isChinese || !message) return message ?? "";
  for (const { text, pattern: { regex, names } } of catalog) {
    const found = regex.exec(message);
    if (found) return text.replace(/\{(\w+)\}/g, (_, name) => found[names.indexOf(name) + 1] ?? "");
  }
  return message;
}
