// The editor: CodeMirror with C++ highlighting, problems as they are typed, and findings and heat next to the lines.
import { autocompletion, closeBrackets, closeBracketsKeymap, completeFromList } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp, cppLanguage } from "@codemirror/lang-cpp";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, WidgetType, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.typeName, tags.standard(tags.typeName)], color: "var(--keyword)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.string, tags.character], color: "var(--string)" },
  { tag: [tags.comment], color: "var(--comment)" },
  { tag: [tags.processingInstruction, tags.macroName], color: "var(--number)" },
]);

const words = [
  "__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__", "__launch_bounds__", "__syncthreads()", "__syncwarp()",
  "__shfl_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync", "__ldg", "atomicAdd", "atomicMax", "atomicCAS",
  "threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y", "blockDim.x", "blockDim.y", "gridDim.x", "warpSize", "cudaMalloc", "cudaMemcpy",
  "cudaFree", "cudaMemset", "cudaMallocManaged", "cudaDeviceSynchronize()", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaGetLastError()",
].map((label) => ({ label, type: label.startsWith("cuda") || label.startsWith("atomic") ? "function" : "keyword" }));

class Heat extends GutterMarker {
  constructor(share, text) { super(); this.share = share; this.text = text; }
  eq(other) { return other.share === this.share && other.text === this.text; }
  toDOM() {
    const box = document.createElement("div");
    box.textContent = this.text;
    box.style.background = `rgba(var(--heat), ${(0.08 + 0.5 * this.share).toFixed(2)})`;
    return box;
  }
}

class Remark extends WidgetType {
  constructor(text, help, level) { super(); Object.assign(this, { text, help, level }); }
  eq(other) { return other.text === this.text && other.help === this.help; }
  toDOM() {
    const box = document.createElement("div");
    box.className = `cm-widget ${this.level}`;
    box.append(this.text);
    if (this.help) box.append(Object.assign(document.createElement("span"), { textContent: this.help }));
    return box;
  }
}

const setNotes = StateEffect.define(), setHeat = StateEffect.define(), setHere = StateEffect.define();
const field = (effect, build) => StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    let now = value.map(transaction.changes);
    for (const one of transaction.effects) if (one.is(effect)) now = build(one.value, transaction.state.doc);
    return now;
  },
});
const inside = (doc, line) => line >= 1 && line <= doc.lines;
const notes = field(setNotes, (list, doc) => Decoration.set(list.filter((one) => inside(doc, one.line)).flatMap((one) => {
  const line = doc.line(one.line);
  const found = [Decoration.line({ class: one.other ? "cm-other" : "cm-found" }).range(line.from)];
  if (one.text) found.push(Decoration.widget({ widget: new Remark(one.text, one.help, one.level), block: true, side: 1 }).range(line.to));
  return found;
}), true));
const here = field(setHere, (line, doc) => (inside(doc, line) ? Decoration.set([Decoration.line({ class: "cm-here" }).range(doc.line(line).from)]) : Decoration.none));
const heat = field(setHeat, (list, doc) => RangeSet.of(list.filter((one) => inside(doc, one.line)).map((one) => new Heat(one.share, one.text).range(doc.line(one.line).from)), true));

/** An editor in an element. `onEdit` is called after each change, `keys` are the page's shortcuts. */
export function makeEditor(parent, { text, label, onEdit, keys }) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of(keys), history(), drawSelection(), lineNumbers(), highlightActiveLineGutter(), lintGutter(), indentOnInput(), indentUnit.of("    "), bracketMatching(), closeBrackets(),
        autocompletion(), highlightActiveLine(), highlightSelectionMatches(), cpp(), cppLanguage.data.of({ autocomplete: completeFromList(words) }), syntaxHighlighting(colors),
        gutter({ class: "cm-heat", markers: (view) => view.state.field(heat) }), heat, notes, here,
        EditorView.decorations.from(notes), EditorView.decorations.from(here),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, "data-gramm": "false" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) onEdit(); }),
      ],
    }),
  });
  // The scrolled part can be reached by the keyboard.
  view.scrollDOM.tabIndex = 0;
  view.scrollDOM.setAttribute("role", "group");
  view.scrollDOM.setAttribute("aria-label", label);
  return {
    view,
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, effects: [setNotes.of([]), setHeat.of([]), setHere.of(0)], selection: { anchor: 0 }, scrollIntoView: true });
    },
    showProblems(list) {
      const doc = view.state.doc;
      const found = list.filter((one) => inside(doc, one.line)).map((one) => {
        const line = doc.line(one.line);
        const from = Math.min(line.from + Math.max(0, one.column - 1), line.to);
        const more = [one.label, ...one.notes.map((note) => (note.line ? `${note.text} (line ${note.line})` : note.text)), one.help].filter(Boolean);
        return { from, to: Math.min(Math.max(from + one.width, from), line.to), severity: one.severity === "warning" ? "warning" : "error", message: [one.message, ...more].join("\n") };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    showNotes: (list) => view.dispatch({ effects: setNotes.of(list) }),
    showHeat: (list) => view.dispatch({ effects: setHeat.of(list) }),
    showHere: (line) => view.dispatch({ effects: setHere.of(line) }),
    goTo(line) {
      if (!inside(view.state.doc, line)) return;
      const at = view.state.doc.line(line).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
  };
}
