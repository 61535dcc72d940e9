import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

interface CodeEditorProps {
  readonly label: string;
  /** Initial text. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** True to begin with the focus. */
  readonly takesFocus?: boolean;
  /** True to ignore input. */
  readonly isLocked?: boolean;
}

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--text)' },
  { tag: tags.string, color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--muted)' },
]);

const LOOKS = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)', minHeight: '112px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--sunken)', borderRight: '1px solid var(--line)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--neutral-tint)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--ok-tint)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--raised)', border: '1px solid var(--line)' },
});

/**
 * Replaces the selection by typed text. Left to itself, the browser would keep the colors of the replaced text in style
 * attributes, which the page does not allow.
 */
function onBeforeInput(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}

/**
 * A JSON editor. It is in a shadow root, where the library adds its styles as objects: the page allows no style
 * elements.
 */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  const { label, value, onChange, takesFocus = false, isLocked = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const report = useRef(onChange);
  report.current = onChange;
  const locked = useRef(isLocked);
  locked.current = isLocked;
  const initial = useRef({ label, value, takesFocus });

  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' });
    const created = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial.current.value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          syntaxHighlighting(COLORS),
          LOOKS,
          EditorView.domEventHandlers({ beforeinput: onBeforeInput }),
          EditorView.lineWrapping,
          EditorState.changeFilter.of(() => !locked.current),
          EditorView.contentAttributes.of({ 'aria-label': initial.current.label }),
          // Without a binding for Tab, which would trap keyboards.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            // At once, because the next key may save, or close the page.
            if (update.docChanged) flushSync(() => report.current(update.state.doc.toString()));
          }),
        ],
      }),
    });
    if (initial.current.takesFocus) created.focus();
    return () => created.destroy();
  }, []);

  return <div ref={host} className="code-editor" />;
}
