/** The style sheet of formulas with its faces, a part of its own that is loaded when there is time. */
import 'katex/dist/katex.min.css';
