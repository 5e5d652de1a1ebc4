import { lazy, Suspense } from 'react';
import { type CodeProps, PlainText } from './PlainCode.tsx';
import './pythonCode.css';

const ColouredPython = lazy(() => import('./ColouredPython.tsx'));

/** Python source, plain until the tokenizer has been loaded; its size does not change then. */
export function PythonCode(props: CodeProps) {
  return (
    <pre className="code">
      <code>
        <Suspense fallback={<PlainText {...props} />}>
          <ColouredPython {...props} />
        </Suspense>
      </code>
    </pre>
  );
}
