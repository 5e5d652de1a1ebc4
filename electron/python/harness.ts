/**
 * Python that runs the cells of a request and reports what they did. It is part of the snapshot that every
 * interpreter starts from.
 */
export const HARNESS = `
import ast, asyncio, builtins, importlib, io, json, linecache, os, random, reprlib, sys, time, traceback, types

class Selector:
    """Pyodide's event loop needs JavaScript. This one only waits, because there are no sockets."""
    def select(self, timeout):
        if timeout is None:
            raise RuntimeError('the event loop waits for something that cannot happen here')
        if timeout > 0:
            time.sleep(timeout)
        return []

class Loop(asyncio.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Selector()
    def _process_events(self, events):
        pass
    def _write_to_self(self):
        pass

class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop

def run_alone(main, *, debug=None, loop_factory=None):
    with asyncio.runners.Runner(debug=debug, loop_factory=loop_factory or Loop) as runner:
        return runner.run(main)

def preload(wheels, modules):
    sys.path.extend(wheels)
    for name in modules:
        try:
            __import__(name)
        # A module may also exit.
        except BaseException:
            pass

def unpack(archive):
    import shutil
    shutil.unpack_archive(archive, '/unpacked', 'zip')
    return json.dumps([
        os.path.relpath(os.path.join(folder, name), '/unpacked')
        for folder, _, names in os.walk('/unpacked') for name in names
    ])

def import_unpacked(modules):
    """Returns the files in which Python keeps what it has compiled, by the files of the modules, and why a library was not linked."""
    # Before, because a package may keep a module that it has found.
    close_bridge()
    importlib.invalidate_caches()
    problem = None
    sys.dont_write_bytecode = False
    for name in modules:
        try:
            __import__(name)
        # A module may also exit.
        except BaseException as error:
            while error.__context__ is not None:
                error = error.__context__
            # The next attempt to link a library has another error.
            if isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError):
                problem = problem or cut(text_of(error))
    sys.dont_write_bytecode = True
    specs = [vars(module).get('__spec__') for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)]
    return json.dumps({
        'compiled': {each.origin: each.cached for each in specs if each and each.cached and os.path.exists(each.cached)},
        'problem': problem,
    })

FILE = '<call>'
MOST_VARIABLES = 100
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 200
SHORT.maxlist = SHORT.maxtuple = SHORT.maxset = SHORT.maxfrozenset = SHORT.maxdeque = SHORT.maxdict = SHORT.maxarray = 12
HIDDEN = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
NOTHING = types.ModuleType('nothing')
space = {}
# Given back when the code fails, so that a report can be made when it has used up the memory.
reserve = bytearray()
# Modules that the code has imported names from.
imported = set()

# The bridge to JavaScript. Pyodide imports it when it starts; the code that runs has no use for it.
BRIDGE = {'js', 'pyodide', 'pyodide_js', '_pyodide', '_pyodide_core'}

def close_bridge():
    for name in [name for name in sys.modules if name.split('.')[0] in BRIDGE]:
        del sys.modules[name]
    # An import of None fails.
    sys.modules.update(dict.fromkeys(BRIDGE))
    sys.meta_path[:] = [each for each in sys.meta_path if type(each).__module__.split('.')[0] not in BRIDGE]

def start(seed):
    global space
    close_bridge()
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.run = run_alone
    main = types.ModuleType('__main__')
    main.__builtins__ = builtins
    sys.modules['__main__'] = main
    space = main.__dict__
    imported.clear()
    reserve[:] = bytes(2_000_000)
    random.seed(seed)

def cut(text):
    return text if len(text) <= 400 else text[:399] + '…'

def size_of(value):
    try:
        shape = getattr(value, 'shape', None)
        if isinstance(shape, tuple):
            return cut(' × '.join(str(each) for each in shape)) or None
        return None if isinstance(value, (str, bytes)) and len(value) <= 200 else str(len(value))
    except BaseException:
        return None

def is_imported(name, value):
    return any(vars(sys.modules.get(module, NOTHING)).get(name) is value for module in imported)

def described_variable(name, value):
    kind = cut(str(type(value).__name__))
    try:
        shown = cut(SHORT.repr(value))
    except BaseException as error:
        shown = f'<{type(error).__name__} in its repr>'
    size = size_of(value)
    return {'name': cut(name), 'type': kind, 'value': shown, **({} if size is None else {'size': size})}

def variables():
    found = []
    for name, value in list(space.items()):
        if len(found) == MOST_VARIABLES:
            break
        try:
            if not name.startswith('_') and not isinstance(value, HIDDEN) and not is_imported(name, value):
                found.append(described_variable(name, value))
        # Methods of a value may raise anything. The other variables are reported.
        except BaseException:
            pass
    return found

MOST_STEPS = 2_000
# Characters of all steps together, about.
MOST_TRACED = 1_000_000
MOST_LOCALS = 40
PLAIN = (int, float, complex, bool, str, bytes, type(None))
MODULE = '<module>'

class Trace:
    """Records each line of the code before it runs, with what changed in its frame."""
    def __init__(self):
        self.steps = []
        self.size = 0
        self.is_cut = False
        self.frames = {}
        self.count = 1

    def see(self, frame, event, value):
        if self.is_cut or frame.f_code.co_filename != FILE:
            return None
        if event != 'call':
            # What a repr prints is not output of the code.
            saved, sys.stdout = sys.stdout, io.StringIO()
            try:
                self.record(frame, event, value)
            except BaseException:
                self.is_cut = True
            finally:
                sys.stdout = saved
        if self.is_cut:
            # The rest runs at full speed.
            sys.settrace(None)
            return None
        return self.see

    def record(self, frame, event, value):
        is_module = frame.f_code.co_name == MODULE
        if frame.f_lineno is None or (is_module and event == 'return'):
            return
        # By id, because a kept frame would keep what its variables hold.
        number, shown = self.frames.setdefault(0 if is_module else id(frame), (0 if is_module else self.count, {}))
        if number == self.count:
            self.count += 1
        changed, there = [], set()
        for name, each in list(frame.f_locals.items()):
            if len(there) == MOST_LOCALS:
                break
            try:
                if name.startswith('_') or not name.isidentifier() or isinstance(each, HIDDEN) or is_imported(name, each):
                    continue
                there.add(name)
                before = shown.get(name)
                if before and before[0] is each and isinstance(each, PLAIN):
                    continue
                now = described_variable(name, each)
                if before and before[1] == now:
                    continue
                # Other values may change, and a reference would keep them.
                shown[name] = (each if isinstance(each, PLAIN) else NOTHING, now)
                changed.append(now)
            except BaseException:
                pass
        gone = [cut(name) for name in shown if name not in there]
        for name in list(shown):
            if name not in there:
                del shown[name]
        step = {'event': event, 'line': frame.f_lineno, 'frame': number, 'changed': changed, 'gone': gone}
        if not is_module:
            step['function'] = cut(frame.f_code.co_name)
        if event == 'return':
            step['value'] = cut(SHORT.repr(value))
            del self.frames[id(frame)]
        elif event == 'exception':
            step['value'] = cut(f'{value[0].__name__}: {text_of(value[1])}')
        self.steps.append(step)
        self.size += 60 + sum(len(each['value']) + 60 for each in changed)
        self.is_cut = len(self.steps) >= MOST_STEPS or self.size >= MOST_TRACED

def text_of(error):
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)
    except BaseException:
        return ''

def described(error):
    whole = traceback.TracebackException.from_exception(error)
    whole.stack[:] = [frame for frame in whole.stack if frame.filename == FILE]
    lines = [frame.lineno for frame in whole.stack]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    text = ''.join(whole.format(chain=False))
    return {
        'type': cut(str(type(error).__name__)),
        'message': text_of(error)[:10_000],
        'traceback': text[-20_000:],
        **({} if line is None else {'line': line}),
    }

def run(text):
    cell = json.loads(text)
    code = cell['code']
    sys.stdin = io.StringIO(cell.get('input') or '')
    linecache.cache[FILE] = (len(code), None, code.splitlines(True), FILE)
    result = {}
    trace = Trace() if cell['isTraced'] else None
    started = time.perf_counter()
    try:
        tree = ast.parse(code, FILE)
        imported.update(node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
        last = None
        if cell['isLast'] and tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        if trace is not None:
            sys.settrace(trace.see)
        exec(compile(tree, FILE, 'exec', dont_inherit=True), space)
        if last is not None:
            value = eval(compile(last, FILE, 'eval', dont_inherit=True), space)
            if value is not None:
                space['_'] = value
                result['lastValue'] = repr(value)[:1_000_000]
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        if ended.code not in (None, 0):
            result['error'] = described(ended)
    except BaseException as error:
        reserve.clear()
        result['error'] = described(error)
    sys.settrace(None)
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass
    result['milliseconds'] = (time.perf_counter() - started) * 1000
    try:
        result['variables'] = variables() if cell['isLast'] else []
    except BaseException:
        result['variables'] = []
    if trace is not None:
        result['trace'] = {'steps': trace.steps, 'isCut': trace.is_cut}
    return json.dumps(result)
`;
