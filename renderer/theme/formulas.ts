/** The style sheet and fonts of formulas, in a chunk of its own that is loaded when idle. */
import 'katex/dist/katex.min.css';
