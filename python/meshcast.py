"""meshcast from Python: what multicast traffic costs on a mesh.

A message set says which node of a mesh sends a message to which others. A router moves the set over an
emulated machine, where a packet crosses one link per step and waits in buffers in between; the result
reports what the machine counted. Every run checks every delivery. The same sets run on a network of flits
and virtual channels.

    import meshcast
    traffic = meshcast.Set.generate("uniform", side=32, degree=8, congestion=8)
    result = meshcast.route(traffic, "stream", copy="free", buffer=20)
    print(result.steps, result.lower_bound, result.buffer_peak)

Functions are the program's commands. Keywords are their options, with _ for -: a flag is True, several values are a
list, None is the default; `meshcast route --help` lists them. A keyword that is no option is a parameter of the router,
scheme or kernel (--param). Results have the figures of --json as attributes, and print as the program's table.

Units. Nodes are row-major indices, row * cols + col, from 0. Times of routers and kernels are steps of the
machine, those of networks are cycles. Counts of packets are packets per node.

Arrays are numpy's where numpy is installed, else lists (of lists) of the same shape. scipy, networkx and
pandas are needed only by the functions that name them.

Errors are exceptions with the texts of the program: UsageError (a mistake of the caller), InputError (bad
input; the text names file, line and what was expected), SystemFailure (no memory, a file that cannot be
written), CheckError (a run that failed a check, with its result). Ctrl-C ends what is under way, and is
a KeyboardInterrupt.

Threads. Every function may be called from any thread; sets and results never change. The interpreter is
free while the library works.

The library is the file that the environment's MESHCAST_LIBRARY names, or libmeshcast.so in the folder that it
names, as build/threads; else that of build/threads, if this file is in a checkout; else what the system's loader finds.
"""

from __future__ import annotations

import ctypes as C
import operator
import os
from collections import namedtuple

TYPE_CHECKING = False  # as typing's, whose import takes time
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, Sequence, Union

    Progress = Callable[[int, int, str], None]
    Path = Union[str, os.PathLike]

__all__ = [
    "Set", "Topology", "Router", "Expander", "Figures", "Rows", "Result", "Comparison", "Table",
    "route", "compare", "stress", "best", "kernel", "plan", "network", "load", "place", "search", "expander_check",
    "routers", "schemes", "kernels", "version", "memory_limit",
    "Error", "CheckError", "UsageError", "InputError", "SystemFailure", "Interrupted",
]

# ---- the library's interface: types, structs, signatures; a test holds them against the headers ----

ABI = 0  # the number of the binary interface that is written down here

_TYPES: dict[str, Any] = {  # `ptr` is a pointer to anything but text and functions; enumerations are u32, sizes u64
    "void": None, "u32": C.c_uint32, "u64": C.c_uint64, "bool": C.c_bool, "text": C.c_char_p, "ptr": C.c_void_p,
    "u32*": C.POINTER(C.c_uint32), "u64*": C.POINTER(C.c_uint64),
    "progress": C.CFUNCTYPE(None, C.c_void_p, C.c_uint64, C.c_uint64, C.c_char_p),
}


class _Error(C.Structure):
    _fields_ = [("status", C.c_uint32), ("text", C.c_char * 512), ("topic", C.c_char * 48)]


class _Entries(C.Structure):
    _fields_ = [("rows", C.c_uint32), ("cols", C.c_uint32), ("entries", C.c_uint64), ("row", C.c_void_p),
                ("col", C.c_void_p), ("weight", C.c_void_p)]


_STRUCTS = {"error": _Error, "entries": _Entries}
_OK, _CHECK, _USAGE, _INPUT, _SYSTEM, _INTERRUPTED = range(6)

# What a function returns and takes, and the functions for which it is so, without "meshcast_"
_SIGNATURES = """
bool(ptr): router_guesses_congestion set_is_routable
bool(ptr text): command_takes
bool(ptr u64 ptr ptr): topology_link
ptr(): interrupt_new
ptr(ptr): report_take_set
ptr(text ptr): command_new router_find router_load topology_parse set_read
ptr(ptr u64 ptr ptr ptr): set_from_pairs
ptr(ptr u32 ptr ptr ptr ptr ptr): set_from_messages
ptr(ptr u64 text ptr): set_parse
ptr(u64 ptr ptr ptr): topology_from_edges
text(): version
text(ptr): report_json report_text router_name router_summary router_parameters topology_text set_topology
text(text text u32): command_value_at
u32(): abi
u32(ptr): topology_nodes set_nodes set_messages
u32(ptr u32): set_flits
u32(ptr ptr ptr): command_give_entries command_give_set command_run
u32(ptr text ptr): command_add_operand
u32(ptr text text ptr): command_set set_write
u32*(ptr text ptr): report_array32
u32*(ptr u32 ptr ptr): set_message
u64(ptr): topology_links
u64*(ptr text ptr): report_array64
void(ptr): interrupt_free interrupt_send command_free report_free set_free router_free topology_free
void(ptr ptr): command_give_router command_give_topology command_set_interrupt
void(ptr progress ptr): command_set_progress
void(u64): memory_limit
"""
_SIGNATURE = {name: signature for signature, _, names in (
    line.partition(":") for line in _SIGNATURES.split("\n")) for name in names.split()}


def _types(name: str) -> tuple[Any, list[Any]]:
    """Returns the type of a function's result, and those of its arguments."""
    result, _, arguments = _SIGNATURE[name].rstrip(")").partition("(")
    return _TYPES[result], [_TYPES[word] for word in arguments.split()]


def _open_library() -> C.CDLL:
    """Looks nowhere where others may have put something: in a checkout only a library of the module's own owner."""
    file = f"libmeshcast.so.{ABI}"
    named, module = os.environ.get("MESHCAST_LIBRARY"), os.path.realpath(__file__)
    folder = os.path.dirname(module)
    built = os.path.join(os.path.dirname(folder), "build", "threads")
    if named is None and os.path.basename(folder) == "python" and os.path.isdir(built) and (
            os.stat(built).st_uid == os.stat(module).st_uid):
        named = built
    if named is not None and os.path.isdir(named):
        found = [one for one in os.listdir(named) if one.startswith("libmeshcast.so")]
        named = os.path.join(named, max(found, default=file))
    # OpenMP's runtime looks once, as it is loaded: threads that sleep while they wait leave others the cores
    is_said = "OMP_WAIT_POLICY" in os.environ
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return C.CDLL(named or file)
    except OSError as error:
        raise ImportError(f"cannot load the library of meshcast: {error}; name its file or folder in the "
                          "environment's MESHCAST_LIBRARY") from None
    finally:
        if not is_said:
            del os.environ["OMP_WAIT_POLICY"]


_library = _open_library()
_functions: dict[str, Any] = {}  # those that have been called


class _Pointer(C.c_void_p):
    """What a function returns. It means nothing in another process, so that no pickle holds it."""

    def __reduce__(self) -> Any:
        raise ValueError("what is in the library's memory cannot be pickled")


def _c(name: str, *arguments: Any) -> Any:
    """Calls a function of the library, which is declared at its first call."""
    if name not in _functions:
        try:
            function = getattr(_library, "meshcast_" + name)
        except AttributeError:
            raise ImportError(f"the library of meshcast has no meshcast_{name}(): it is older than this "
                              "module") from None
        result, function.argtypes = _types(name)
        function.restype = _Pointer if result is C.c_void_p else result
        _functions[name] = function
    return _functions[name](*arguments)


if _c("abi") != ABI:
    raise ImportError(f"the library of meshcast has the binary interface {_c('abi')}; this module is for {ABI}")


def version() -> str:
    """Returns the version of the library that runs."""
    return _decode(_c("version"))


def memory_limit(size: int | None = 0) -> None:
    """Limits the memory of this process to `size` bytes, above 0, more than it uses now. Calls that need more raise
    SystemFailure. None lifts the limit; 0, which holds at first, is what the system has."""
    limit = 2**64 - 1 if size is None else operator.index(size)
    if not 0 <= limit < 2**64:
        raise UsageError(f"size is 0 .. 2^64 - 1 bytes, not {size!r}")
    _c("memory_limit", limit)


# ---- errors ----


class Error(Exception):
    """What went wrong: the text that the program prints, and in `status` the program's exit status."""

    status = 4


class CheckError(Error):
    """A run ended, but failed a check: a delivery is missing, a buffer overflowed, worms are in a deadlock.
    `result` has the figures until then, or is None."""

    status = 1
    result: Any = None


class UsageError(Error, ValueError):
    """A mistake of the caller: the text names the remedy."""

    status = 2


class InputError(Error, ValueError):
    """Bad input: the text names the file, the line, and what was expected."""

    status = 3


class SystemFailure(Error, OSError):
    """The system failed: a file cannot be opened or written, or there is no memory."""

    status = 4


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search, plan, network or load; `result` is what it had until then, or None."""

    def __init__(self, result: Any = None) -> None:
        super().__init__()
        self.result = result


_EXCEPTIONS: dict[int, type[Error]] = {
    _CHECK: CheckError, _USAGE: UsageError, _INPUT: InputError, _SYSTEM: SystemFailure}


def _fail(error: _Error, keywords: Iterable[str] = ()) -> Error:
    """Returns the exception for an error; options that are keywords with _ are named so."""
    text = _decode(error.text)
    for keyword in keywords:
        text = text.replace(keyword.replace("_", "-"), keyword)
    return _EXCEPTIONS.get(error.status, Error)(text)


# ---- handles and calls ----


class _Handle:
    """A pointer to a struct of the library, which is freed with the last reference to the handle; `keep`
    lives as long."""

    def __init__(self, pointer: Any, free: str) -> None:
        import weakref
        self._as_parameter_ = pointer
        self.keep: list[Any] = []
        weakref.finalize(self, _c, free, pointer).atexit = False


def _wait(work: Callable[[], Any], interrupt: _Handle | None) -> Any:
    """Does the work in a thread of its own, where signals would have to wait for its end, and waits. Ctrl-C
    sends the interrupt and waits for the end; where there is none, or on a second Ctrl-C, what is under way
    goes on alone: what it uses is freed when it ends."""
    import threading
    if threading.current_thread() is not threading.main_thread():
        return work()
    came: list[Any] = []
    done = threading.Event()

    def run() -> None:
        try:
            came.append((work(), None))
        except BaseException as error:  # pylint: disable=broad-except
            came.append((None, error))
        done.set()

    thread = threading.Thread(target=run, name="meshcast", daemon=True)
    try:
        thread.start()
        done.wait()
    except BaseException:
        if interrupt is None:
            raise
        _c("interrupt_send", interrupt)
        done.wait()
        value = came[0][0]
        if isinstance(value, tuple) and value[0] == _INTERRUPTED:
            return value
        raise
    thread.join()  # a thread that is just ending does not survive a fork() well
    value, error = came[0]
    if error is not None:
        raise error
    return value


def _made(name: str, free: str, *arguments: Any) -> _Handle:
    """Calls a function that gives a handle or fails; the last argument, the error, is added."""
    error = _Error()
    pointer = _c(name, *arguments, C.byref(error))
    if not pointer:
        raise _fail(error)
    return _Handle(pointer, free)


def _make(name: str, free: str, *arguments: Any) -> _Handle:
    """Does the same where it may take long."""
    return _wait(lambda: _made(name, free, *arguments), None)


def _do(name: str, *arguments: Any, keywords: Iterable[str] = ()) -> None:
    """Calls a function that succeeds or fails; the error is added."""
    error = _Error()
    if _c(name, *arguments, C.byref(error)) != _OK:
        raise _fail(error, keywords)


# ---- commands ----


class _Command:
    """A command of the library that is being told what to do. What it points to lives as long as its handle."""

    def __init__(self, name: str) -> None:
        self.handle = _made("command_new", "command_free", os.fsencode(name))
        self.interrupt = _Handle(_c("interrupt_new"), "interrupt_free")
        self.ends_early = name not in ("gen", "import", "info")  # which look at no interrupt
        self.handle.keep.append(self.interrupt)
        self.raised: list[BaseException] = []  # by the progress
        self.keywords: list[str] = []
        _c("command_set_interrupt", self.handle, self.interrupt)

    def operand(self, given: Any) -> None:
        """Adds a set, a matrix, or the name of a file or of what the command runs."""
        self.handle.keep.append(given)
        if isinstance(given, Set):
            _do("command_give_set", self.handle, given._handle)
        elif isinstance(given, _Entries):
            _do("command_give_entries", self.handle, C.byref(given))
        else:
            _do("command_add_operand", self.handle, given)

    def option(self, keyword: str, value: Any) -> None:
        """Sets the option of that name, or the parameter if the command has no such option."""
        if value is None:
            return
        if isinstance(value, Topology) and keyword == "topology":
            self.handle.keep.append(value)
            _c("command_give_topology", self.handle, value._handle)
            return
        if keyword in ("router", "routers"):
            value = self.named(value, keyword)
            if not value:
                return
        name, text = os.fsencode(keyword.replace("_", "-")), _text(value, keyword)
        if not _c("command_takes", self.handle, name) and _c("command_takes", self.handle, b"param"):
            text = str(int(value)).encode() if isinstance(value, bool) else text
            name, text = b"param", _word(keyword, "a parameter") + b"=" + text
        self.keywords += [keyword] if "_" in keyword else []
        _do("command_set", self.handle, name, text, keywords=self.keywords)

    def named(self, given: Any, keyword: str) -> list[bytes]:
        """Returns the routers that have names; the others are given."""
        names = []
        for one in [given] if keyword == "router" else _several(given, keyword):
            word = _word(one.text if isinstance(one, Router) else one, keyword)
            if Router.is_plugin(one):
                self.handle.keep.append(one if isinstance(one, Router) else Router(one))
                _c("command_give_router", self.handle, self.handle.keep[-1]._handle)
            else:
                names.append(word)
        return names

    def progress(self, progress: Callable[..., Any]) -> None:
        """Calls progress(done, all, what); what it raises ends the run."""
        if not callable(progress):
            raise TypeError(f"progress is a function, not {progress!r}")
        raised, interrupt = self.raised, self.interrupt

        def call(_context: Any, done: int, all_: int, what: bytes) -> None:
            try:
                if not raised:
                    progress(done, all_, _decode(what))
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                _c("interrupt_send", interrupt)

        self.handle.keep.append(_TYPES["progress"](call))
        _c("command_set_progress", self.handle, self.handle.keep[-1], None)

    def run(self, read: Callable[[_Handle], Any]) -> Any:
        """Runs, and returns what read() makes of the report. A check that failed and an interruption have it too."""
        def work() -> tuple[int, _Handle | None, _Error]:
            error, pointer = _Error(), C.c_void_p()
            status = _c("command_run", self.handle, C.byref(pointer), C.byref(error))
            return status, _Handle(pointer, "report_free") if pointer else None, error
        status, report, error = _wait(work, self.interrupt if self.ends_early else None)
        if self.raised:
            raise self.raised[0]
        result = read(report) if report else None
        if status == _OK:
            return result
        if status == _INTERRUPTED:
            raise Interrupted(result)
        failure = _fail(error, self.keywords)
        if status == _CHECK:
            failure.result = result
        raise failure


def _run(name: str, options: dict[str, Any], *operands: Any, progress: Progress | None = None,
         read: Callable[[_Handle], Any] | None = None) -> Any:
    """Runs a command with these operands and options, and returns its figures, or what read() makes of its report."""
    command = _Command(name)
    for operand in operands:
        command.operand(operand)
    for keyword, value in options.items():
        command.option(keyword, value)
    if progress is not None:
        command.progress(progress)
    return command.run(read or _read)


def _read(report: _Handle, kind: Any = None) -> Any:
    """Returns the figures of a report, as a `kind`."""
    import json
    figures = json.loads(_decode(_c("report_json", report)), object_hook=Figures)
    text = _decode(_c("report_text", report))
    if isinstance(figures, list):
        return [(kind or Figures)(vars(row), _table=text) for row in figures]
    return (kind or Figures)(vars(figures), _table=text)


def _array(report: _Handle, name: str, *shape: int) -> Any:
    """Returns numbers that a report keeps, in that shape, or flat; None: it keeps none of that name."""
    count = C.c_uint64()
    for bits in "32", "64":
        numbers = _c("report_array" + bits, report, os.fsencode(name), C.byref(count))
        if numbers:
            return _take(numbers, *(shape or (count.value,)))
    return None


# ---- values ----


def _text(value: Any, name: str) -> bytes:
    """Returns a value as the command line has it."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        return _word(value, name)
    if isinstance(value, bool) or kind == "b" and value.ndim == 0:
        return b"true" if value else b"false"
    if hasattr(type(value), "__iter__") and getattr(value, "ndim", 1) > 0:
        return b",".join(_text(one, name) for one in _several(value, name))
    try:
        return str(operator.index(value)).encode()
    except TypeError:
        pass
    try:
        return repr(float(value)).encode()
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} is a number, a text or a list, not {value!r}") from None


def _word(value: Any, name: str) -> bytes:
    """Returns a path or a word for the library."""
    try:
        text = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is a text or a path, not {value!r}") from None
    except UnicodeError:
        raise UsageError(f"{name} has characters that no file's name can have: {value!r}") from None
    if b"\0" in text:
        raise UsageError(f"{name} has a character NUL: {value!r}")
    return text


def _several(values: Any, name: str) -> list[Any]:
    """Returns a list of values that are given one by one."""
    if isinstance(values, (str, bytes)) or not hasattr(type(values), "__iter__"):
        raise TypeError(f"{name} is a list, not {values!r}")
    found = list(values)
    if not found:
        raise UsageError(f"{name} is empty; None is the default")
    return found


def _is_set(value: Any, name: str = "set") -> Set:
    if not isinstance(value, Set):
        raise TypeError(f"{name} is a meshcast.Set, not {value!r}")
    return value


def _numpy() -> Any:
    """Returns numpy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _give(values: Any, name: str, bits: int = 32) -> tuple[Any, int]:
    """Returns an array for the library, which lives as long as what is returned, and its length."""
    kind = C.c_uint32 if bits == 32 else C.c_uint64
    numpy = _numpy()
    _refuse_mask(values, name)
    if isinstance(values, (str, bytes, bytearray)):
        raise UsageError(f"{name} is an array of whole numbers, not {values!r}")
    if numpy is not None:
        given = numpy.asarray(values)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise UsageError(f"{name} is an array of one dimension and whole numbers")
        if given.size and (given.min() < 0 or int(given.max()) >= 2**bits):
            raise UsageError(f"{name} holds numbers 0 .. {2**bits - 1}")
        held = numpy.ascontiguousarray(given, dtype=kind)
        pointer = held.ctypes.data_as(C.POINTER(kind))
    else:
        from array import array
        try:
            held = array("I" if bits == 32 else "Q", values)
        except (TypeError, OverflowError):
            raise UsageError(f"{name} holds whole numbers 0 .. {2**bits - 1}") from None
        pointer = C.cast((kind * len(held)).from_buffer(held), C.POINTER(kind))
    pointer.held = held
    return pointer, len(held)


def _refuse_mask(values: Any, name: str) -> None:
    """Refuses masked entries, which are no numbers, and no absence of one either."""
    numpy = _numpy()
    if numpy is not None and numpy.ma.is_masked(values):
        raise UsageError(f"{name} has masked entries; leave them out, or fill them")


def _take(pointer: Any, *shape: int) -> Any:
    """Returns a copy of the library's numbers: an array of that shape, or lists."""
    numpy, count = _numpy(), 1
    for side in shape:
        count *= side
    if numpy is None:
        return _nest(iter(pointer[:count]), shape)
    if count == 0:
        return numpy.zeros(shape, dtype=pointer._type_)
    return numpy.ctypeslib.as_array(pointer, (count,)).reshape(shape).copy()


def _nest(numbers: Iterator[int], shape: Sequence[int]) -> list[Any]:
    if len(shape) == 1:
        return [next(numbers) for _ in range(shape[0])]
    return [_nest(numbers, shape[1:]) for _ in range(shape[0])]


def _decode(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def _property(function: str, text: str) -> Any:
    """Returns the property that a function of the library gives; `text` documents it."""
    def get(self: Any) -> Any:
        value = _c(function, self._handle)
        return _decode(value) if isinstance(value, bytes) else value
    return property(get, doc=text)


# ---- figures ----


def _frame(rows: Any) -> Any:
    import pandas
    return pandas.DataFrame(rows)


def _plain(value: Any) -> Any:
    """Returns what json.loads() would have made: dictionaries and lists."""
    if isinstance(value, Figures):
        return value.to_dict()
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


class Figures:
    """Figures under the names of the program's --json, as attributes and by [name]. They never change.

    Lists are tuples, and objects in it are Figures. str() is the program's table, which notebooks show.
    """

    _table = ""  # for people
    _set: Set | None = None

    def __init__(self, figures: dict[str, Any], **more: Any) -> None:
        for name, value in figures.items():
            vars(self)[name] = tuple(value) if isinstance(value, list) else value
        vars(self).update(more)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"results never change: {name}")

    __delattr__ = __setattr__

    set = property(lambda self: self._set, doc="The set that was run, or found; else None.")

    def keys(self) -> list[str]:
        """The names of the figures."""
        return [name for name in vars(self) if name[0] != "_"]

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __eq__(self, other: Any) -> Any:
        return self.to_dict() == (other.to_dict() if isinstance(other, Figures) else other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self)[name] for name in self.keys()))

    def __repr__(self) -> str:
        figures = self.to_dict()
        return f"{type(self).__name__}({_flat(figures)})" if self._table else repr(figures)

    def __str__(self) -> str:
        return self._table or repr(self)

    def _repr_html_(self) -> str:
        import html
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The figures as dictionaries and lists, as --json prints them."""
        return {name: _plain(vars(self)[name]) for name in self.keys()}

    def to_frame(self) -> Any:
        """A pandas.DataFrame of one row with the figures that are single values."""
        return _frame([_flat(self.to_dict())])


def _flat(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items()
            if value is None or isinstance(value, (int, float, str, bool))}


class Rows(Figures):
    """Figures with a list of rows, which iteration, len() and [number] give."""

    _rows = "runs"  # their name

    def __iter__(self) -> Iterator[Any]:
        return iter(self[self._rows])

    def __len__(self) -> int:
        return len(self[self._rows])

    def __getitem__(self, name: Any) -> Any:
        return vars(self)[name] if isinstance(name, str) else vars(self)[self._rows][name]

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each."""
        return _frame([_flat(row.to_dict()) for row in self])


class Table(dict):
    """Columns by their names, all of one length. `to_frame()` makes a pandas.DataFrame of it."""

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a column each."""
        return _frame(dict(self))


# ---- message sets ----


class Topology:
    """A mesh or torus of 1 to 8 dimensions ("mesh:64x64", "torus:8x8x8", the last side the fastest), or a
    graph ("graph:FILE", a list of edges in which i and i + 1 are joined)."""

    def __init__(self, text: str) -> None:
        self._handle = _make("topology_parse", "topology_free", _word(text, "topology"))

    def __str__(self) -> str:
        return _decode(_c("topology_text", self._handle))

    def __repr__(self) -> str:
        return f"<meshcast.Topology {self}>"

    @classmethod
    def from_edges(cls, sources: Any, destinations: Any) -> Topology:
        """The graph whose edge i joins sources[i] and destinations[i] (arrays of one length), in either
        direction or both; every i and i + 1 are joined."""
        from_, count = _give(sources, "sources")
        to, others = _give(destinations, "destinations")
        if count != others:
            raise UsageError(f"{count} sources and {others} destinations")
        self = cls.__new__(cls)
        self._handle = _make("topology_from_edges", "topology_free", count, from_, to)
        return self

    nodes = _property("topology_nodes", "The number of nodes.")

    def links(self) -> Table:
        """The directed links: columns `link` (its number in the arrays of networks), `from`, `to` (nodes)."""
        rows: list[tuple[int, int, int]] = []
        source, target = C.c_uint32(), C.c_uint32()
        for link in range(_c("topology_links", self._handle)):
            if _c("topology_link", self._handle, link, C.byref(source), C.byref(target)):
                rows.append((link, source.value, target.value))
        return Table(zip(("link", "from", "to"), ([row[i] for row in rows] for i in range(3))))


def _topology(side: Any, rows: Any, cols: Any, topology: Union[None, str, Topology]) -> Topology:
    """Returns where a set is made."""
    if topology is not None:
        if (side, rows, cols) != (None, None, None):
            raise UsageError("a set has a topology, or a side, or rows and cols")
        return topology if isinstance(topology, Topology) else Topology(topology)
    if (side is None) == (rows is None and cols is None) or (rows is None) != (cols is None):
        raise UsageError("a mesh has a side, or rows and cols")
    return Topology(f"mesh:{side}x{side}" if side is not None else f"mesh:{rows}x{cols}")


Message = namedtuple("Message", ("source", "destinations"))
Message.__doc__ = "A message of a set: its source, and its destinations, ascending, shape (degree of the message,)."


class Set:
    """A message set: who sends to whom. It never changes.

    Made by the class methods below. len() is the number of messages, in the order of their sources, which
    iteration and [index] give as (source, destinations). The figures of `meshcast info --json` are attributes:
    rows, cols, degree (d: the most destinations of a message), congestion (c: the most messages that a node receives),
    messages_per_node (l: the most that a node sends), deliveries, deliveries_at_home (to messages' own sources, which
    count in no other figure), sqrt_cn (sqrt(l c n), n nodes), lower_bound (steps that every router needs), ..
    """

    _handle: Any

    def __init__(self) -> None:
        raise TypeError("sets are made by Set.generate(), Set.read(), Set.from_arrays(), Set.from_scipy(), ..")

    @classmethod
    def _of(cls, handle: Any) -> Set:
        self = cls.__new__(cls)
        self._handle, self._figures = handle, None
        return self

    @classmethod
    def _from_report(cls, report: _Handle) -> Set:
        return cls._of(_Handle(_c("report_take_set", report), "set_free"))

    @classmethod
    def generate(cls, pattern: str, *, progress: Progress | None = None, **options: Any) -> Set:
        """A set of a pattern (uniform, worst, hotspot, ..: `meshcast help patterns`) on a mesh or topology: `meshcast
        gen`, whose options are side, rows, cols, topology, degree, congestion, per_node, seed, ..; what is not given is
        the pattern's default."""
        return _run("gen", {"pattern": _word(pattern, "pattern"), **options}, progress=progress, read=cls._from_report)

    @classmethod
    def from_file(cls, path: Path, *, progress: Progress | None = None, **options: Any) -> Set:
        """Imports a matrix, a graph, a hypergraph or routes of experts as `meshcast import`, whose options are format,
        side, rows, cols, topology, map, per_node, part, weights, ..; the file tells its format if none is given."""
        return _run("import", options, _word(path, "path"), progress=progress, read=cls._from_report)

    @classmethod
    def read(cls, path: Path) -> Set:
        """Reads a file in the format of meshcast-set(5), of any topology; "-" is standard input."""
        return cls._of(_make("set_read", "set_free", _word(path, "path")))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "bytes") -> Set:
        """The same from the bytes of a file; `name` stands for the path in errors."""
        held = memoryview(data).tobytes()
        return cls._of(_make("set_parse", "set_free", held, len(held), _word(name, "name")))

    @classmethod
    def from_arrays(cls, sources: Any, destinations: Any, *, offsets: Any = None, flits: Any = None,
                    side: int | None = None, rows: int | None = None, cols: int | None = None,
                    topology: Union[None, str, Topology] = None) -> Set:
        """The set in which sources[i] sends to destinations[i]: arrays of nodes, shape (pairs,), in any order;
        what one node sends is one message, and a pair that comes again counts once.

        With offsets, shape (messages + 1,), message i goes from sources[i], shape (messages,), to
        destinations[offsets[i]:offsets[i + 1]], each once, so that a node may send several; flits, shape
        (messages,), are lengths for networks.
        """
        from_, count = _give(sources, "sources")
        to, ends = _give(destinations, "destinations")
        place = _topology(side, rows, cols, topology)._handle
        if offsets is None and flits is None:
            if count != ends:
                raise UsageError(f"{count} sources and {ends} destinations")
            return cls._of(_make("set_from_pairs", "set_free", place, count, from_, to))
        if offsets is None:
            raise UsageError("messages with lengths have offsets")
        offset, bounds = _give(offsets, "offsets", 64)
        length, lengths = (None, count) if flits is None else _give(flits, "flits")
        if bounds != count + 1 or lengths != count:
            raise UsageError(f"{count} sources have {count + 1} offsets, and {count} flits if any; there are "
                             f"{bounds} and {lengths}")
        if any(offset[i] > offset[i + 1] for i in range(count)) or offset[0] != 0 or offset[count] != ends:
            raise UsageError(f"offsets ascend from 0 to the number of destinations, {ends}")
        return cls._of(_make("set_from_messages", "set_free", place, count, from_, offset, to, length))

    @classmethod
    def from_scipy(cls, matrix: Any, *, weights: str | None = None, **options: Any) -> Set:
        """The set of y = A x: column j is a message from the node that owns index j to the owners of the rows
        with a stored entry in it (an explicit zero counts). `matrix` is sparse, of scipy, or dense: an array
        or a list of rows, of which entries that are not 0 count. With weights ("flits" or "bytes") entries are whole
        numbers above 0, the lengths of messages. The options are those of `meshcast import`."""
        if matrix is None:
            raise TypeError("matrix is a matrix of scipy, an array, or a list of rows, not None")
        _refuse_mask(matrix, "matrix")
        if hasattr(matrix, "tocoo"):
            entries = matrix.tocoo()
            (height, width), row, col, data = entries.shape, entries.row, entries.col, entries.data
        else:
            lines = [list(line) for line in matrix]
            height, width = len(lines), max(map(len, lines), default=0)
            if any(value is None or isinstance(value, (str, bytes)) for line in lines for value in line):
                raise UsageError("matrix holds numbers")
            found = [(i, j) for i, line in enumerate(lines) for j, value in enumerate(line) if value != 0]
            row, col = [i for i, _ in found], [j for _, j in found]
            data = [lines[i][j] for i, j in found]
        return cls._from_entries(height, width, row, col, data if weights in ("flits", "bytes") else None,
                                 dict(options, weights=weights))

    @classmethod
    def from_networkx(cls, graph: Any, **options: Any) -> Set:
        """The set in which each vertex of a graph of networkx sends a message to its neighbours, of a directed
        one to its successors. Vertices are numbered as the graph gives them; the rest is as in from_scipy()."""
        number = {vertex: i for i, vertex in enumerate(graph)}
        ends = [(number[v], number[u]) for u, v in graph.edges()]  # a column sends to rows
        if not graph.is_directed():
            ends += [(u, v) for v, u in ends]
        return cls._from_entries(len(number), len(number), [v for v, _ in ends], [u for _, u in ends], None, options)

    @classmethod
    def _from_entries(cls, height: int, width: int, row: Any, col: Any, weight: Any, options: dict[str, Any]) -> Set:
        held, count = _give(row, "rows")
        arrays = held, _give(col, "columns")[0], None if weight is None else _give(weight, "entries")[0]
        entries = _Entries(height, width, count, *(C.cast(one, C.c_void_p) for one in arrays))
        entries.held = arrays
        return _run("import", options, entries, read=cls._from_report)

    def with_volume(self, **options: Any) -> Set:
        """A copy with other lengths, for networks: bytes and flit_bytes (per message and per flit), pack
        ("destinations": messages of a node with the same destinations become one, "pairs": all that goes from one node
        to another does), as of `meshcast import`."""
        return _run("import", options, self, read=Set._from_report)

    def info(self, **options: Any) -> Figures:
        """The figures of `meshcast info --json`, for free copies with copy="free"."""
        return _run("info", options, self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._figures is None:
            self._figures = self.info()
        try:
            return self._figures[name]
        except KeyError:
            raise AttributeError(f"sets have no {name}") from None

    def write(self, path: Path, comment: str | None = None) -> None:
        """Writes the set to a file, which takes its place when it is whole; `comment` becomes lines with a #."""
        _do("set_write", self._handle, _word(path, "path"), None if comment is None else _word(comment, "comment"))

    def to_bytes(self) -> bytes:
        """The bytes that write() would write."""
        return _written(self.write)

    def __reduce__(self) -> Any:  # for pickle and copy
        return Set.from_bytes, (self.to_bytes(),)

    topology = _property("set_topology", 'Where the set is: "mesh:4x8", "torus:8x8x8", "graph:1000".')
    nodes = _property("set_nodes", "Nodes of the mesh, torus or graph.")
    is_routable = _property("set_is_routable", "True if routers take the set; networks take every one.")

    @property
    def flits(self) -> list[int]:
        """The length of each message, 0 where the set gives none."""
        return [_c("set_flits", self._handle, i) for i in range(len(self))]

    def __len__(self) -> int:
        return _c("set_messages", self._handle)

    def __getitem__(self, index: int) -> Message:
        number = operator.index(index)
        number += len(self) if number < 0 else 0
        if not 0 <= number < len(self):
            raise IndexError(f"message {index} of {len(self)}")
        source, count = C.c_uint32(), C.c_uint64()
        first = _c("set_message", self._handle, number, C.byref(source), C.byref(count))
        return Message(source.value, _take(first, count.value))

    def __iter__(self) -> Iterator[Message]:
        return (self[i] for i in range(len(self)))

    def to_arrays(self) -> tuple[Any, Any, Any]:
        """sources, shape (messages,); offsets, (messages + 1,); destinations, (deliveries,): message i goes
        from sources[i] to destinations[offsets[i]:offsets[i + 1]]."""
        from array import array
        sources, offsets, destinations = array("I"), array("Q", [0]), array("I")
        source, count = C.c_uint32(), C.c_uint64()
        for i in range(len(self)):
            first = _c("set_message", self._handle, i, C.byref(source), C.byref(count))
            sources.append(source.value)
            destinations.extend(first[:count.value])
            offsets.append(len(destinations))
        numpy = _numpy()
        if numpy is None:
            return list(sources), list(offsets), list(destinations)
        return (numpy.array(sources, dtype="uint32"), numpy.array(offsets, dtype="uint64"),
                numpy.array(destinations, dtype="uint32"))

    def to_scipy(self) -> Any:
        """A scipy.sparse matrix of shape (nodes, messages) in columns, of ones: column i is message i."""
        import numpy
        from scipy.sparse import csc_matrix
        _, offsets, destinations = self.to_arrays()
        return csc_matrix((numpy.ones(len(destinations), dtype="uint8"), destinations.astype("int64"),
                           offsets.astype("int64")), shape=(self.nodes, len(self)))

    def __repr__(self) -> str:
        return f"<meshcast.Set on {self.topology}: {len(self)} messages>"


def _written(write: Callable[[str], Any]) -> bytes:
    """Returns the bytes that write() writes to a file."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        write(path)
        with open(path, "rb") as file:
            return file.read()


# ---- routers, schemes, kernels ----


class Router:
    """A router by its name, or by the path of a plugin (a shared object; a path has a slash or ends in .so)."""

    def __init__(self, name: Path) -> None:
        word = _word(name, "router")
        self.text = os.fsdecode(word)
        if self.is_plugin(self.text):
            self._handle = _make("router_load", "router_free", word)
        else:
            error = _Error()
            self._handle = _c("router_find", word, C.byref(error))
            if not self._handle:
                raise _fail(error)

    @staticmethod
    def is_plugin(given: Union[str, os.PathLike, Router]) -> bool:
        """True for the path of a plugin, or its router."""
        text = given.text if isinstance(given, Router) else os.fsdecode(given)
        return "/" in text or text.endswith(".so")

    name = _property("router_name", "The name, as results show it.")
    summary = _property("router_summary", "What it does, a line.")
    parameters = _property("router_parameters", 'Its parameters, a line or more each; may be "".')
    guesses_congestion = _property("router_guesses_congestion", "True if it can run with a congestion that nobody knows.")

    def __repr__(self) -> str:
        return f"<meshcast.Router {self.name}>"


def _names(command: str, option: str | None) -> list[str]:
    found: list[str] = []
    while (name := _c("command_value_at", command.encode(), option and option.encode(), len(found))) is not None:
        found.append(_decode(name))
    return found


def routers() -> list[str]:
    """The names of the library's routers."""
    return _names("route", "router")


def schemes() -> list[str]:
    """The names of the schemes of plans, networks and loads."""
    return _names("plan", "scheme")


def kernels() -> list[str]:
    """The names of the kernels."""
    return _names("kernel", None)


# ---- the machine ----


class Result(Figures):
    """The figures of a run of a router, as of `meshcast route --json`; `set` is the set.

    steps              of the machine, sync_steps of them of synchronisations; proven_steps: more were not possible
    phases             with their `name` and `steps`, which add up to `steps`
    lower_bound        steps that every router needs, by lower_bound_kind
    buffer_capacity    packets per node, in force; None: none
    buffer_peak        the most packets that a node held at the end of a step: at buffer_peak_node, first
                       at buffer_peak_step, in buffer_peak_phase
    packet_hops        links crossed by packets, word_hops by control words
    delivered, missing deliveries
    delivery_steps     median, p95, p99 and curve: 101 steps, by whose ends 0, 1, .. 100 percent of the deliveries, and
                       at least one, had been made; None where not all were made
    parameters         as they were used, defaults included
    attempts           where the congestion was guessed, or a node overflowed
    wall_seconds       of the routing alone: the one figure that differs from run to run
    error              the text where a check failed, else None
    """

    error: str | None = None
    reduce: str | None = None
    attempts: tuple[Figures, ...] = ()
    _views: dict[str, Any] | None = None

    def percentile(self, percent: int) -> int:
        """The step by whose end so many percent of the deliveries (a whole number 0 .. 100) had been made."""
        if self.delivery_steps is None:
            raise UsageError("not all was delivered")
        if not 0 <= operator.index(percent) <= 100:
            raise UsageError(f"percent is a whole number 0 .. 100, not {percent}")
        return self.delivery_steps.curve[percent]

    def _view(self, name: str) -> Any:
        if self._views is None:
            raise UsageError(f"the run was not told to keep its {name}: route(.., keep=True)")
        return self._views[name]

    def heatmap(self) -> Any:
        """The most packets that each node held at the end of a step: shape (rows, cols). A run keeps it, and the two
        below, with keep=True."""
        return self._view("heatmap")

    def link_loads(self) -> Any:
        """The packets that crossed each directed link: shape (4, rows, cols), the links of a node to the
        north (row - 1), south, west, east; 0 where there is none."""
        return self._view("link_loads")

    def timeline(self) -> Table:
        """A row for step 0, for each that `timeline_every` of the run divides (1 if not given), and for the last; columns:

        step
        packets      in all buffers at its end
        delivered    deliveries so far
        fullest      packets in the fullest buffer at the end of a step since the row before
        busy_links   directed links that carried something in the busiest of these steps
        packet_hops, word_hops  in all of these steps
        """
        return self._view("timeline")


def route(set: Set, router: Union[str, os.PathLike, Router], *, keep: bool = False, progress: Progress | None = None,
          **options: Any) -> Result:
    """Runs a router (its name, or the path of a plugin) on a set and checks every delivery, as `meshcast route`.

    keep      keeps heatmap(), link_loads() and timeline() from this run, which may then take up to three times as long;
              the timeline has a row for so many steps as timeline_every says
    progress  is called now and then with the steps so far, 0, and the phase's name
    options   copy ("unit": a copy costs a step of the packet and the node; "free": nothing), buffer (packets per
              node), seed, threads, unknown_congestion, reduce, trace (a file), ..; else the router's own parameters

    Raises CheckError, with the result as far as the run went; UsageError where the router cannot take an
    option, a parameter or the set.
    """
    traffic = _is_set(set)
    keeps = dict.fromkeys(("keep_node_peaks", "keep_link_loads", "keep_timeline"), True) if keep else {}

    def read(report: _Handle) -> Result:
        views, result = {}, _read(report, Result)
        if keep:
            views = {"heatmap": _array(report, "node-peaks", result.rows, result.cols),
                     "link_loads": _array(report, "link-loads", 4, result.rows, result.cols),
                     "timeline": Table((name, _array(report, "timeline." + name)) for name in _TIMELINE)}
        vars(result).update(_set=traffic, _views=views or None)
        return result

    return _run("route", {"router": router, **options, **keeps}, traffic, progress=progress, read=read)


_TIMELINE = ("step", "packets", "delivered", "fullest", "busy_links", "packet_hops", "word_hops")


class Comparison(Rows):
    """A Result per router in `runs`; `error` says why a router did not run, or which check failed."""

    @property
    def fastest(self) -> Result | None:
        """The result that delivers in the fewest steps; None: none delivers."""
        return min((row for row in self if row.error is None), key=operator.attrgetter("steps"), default=None)


def compare(set: Set | Sequence[Set], routers: Iterable[Union[str, Router]] | None = None, *,
            progress: Progress | None = None, **options: Any) -> Any:
    """Runs several routers on one set, one after the other: all that can take it if none are named.

    "trees:tree=xy:slots=1" is a router with parameters of its own; of the parameters among the options each router gets
    those that it has. The other options are those of route(). UsageError: all refuse. With `schemes` instead of routers:
    a list of figures, as of network(). Of a list of sets: a list of comparisons, or the figures of all.
    """
    sets = [_is_set(one) for one in (set if isinstance(set, list) else [set])]

    def read(report: _Handle) -> Any:
        if options.get("schemes") is not None:
            rows = _read(report, Network)
            for one in rows:
                vars(one).update(_set=sets[int(vars(one).get("set", "set 1")[4:]) - 1])
            return rows
        found = _read(report, Comparison)
        for traffic, one in zip(sets, found if isinstance(found, list) else [found]):
            vars(one).update(_set=traffic, runs=tuple(Result(vars(row), _set=traffic) for row in one.runs))
        return [found] if isinstance(set, list) and len(sets) == 1 else found

    try:
        return _run("compare", {"routers": routers, **options}, *sets, progress=progress, read=read)
    except CheckError as error:
        if error.result is None:
            raise
        return error.result


def best(set: Set, routers: Iterable[Union[str, Router]] | None = None, *, progress: Progress | None = None,
         **options: Any) -> Rows:
    """Finds which router is the fastest with each capacity of a node's buffer, as `meshcast compare --best`: rows
    ascend from a capacity of 1 packet, where the fastest one changes, and `not_limited` is without a capacity. A row has
    the `capacity`, the `fastest` router (None: none delivers) and `routers`, with each router's `outcome`. Arguments are
    those of compare()."""
    return _run("compare", {"routers": routers, "best": True, **options}, _is_set(set), progress=progress,
                read=lambda report: _read(report, Best))


class Best(Rows):
    """The fastest router with each capacity; see best()."""

    _rows = "capacities"


def stress(set: Set, router: Union[str, os.PathLike, Router], *, progress: Progress | None = None,
           **options: Any) -> Rows:
    """Finds the least buffer with which a router delivers, by bisection, as `meshcast stress`.

    least_capacity  packets per node: with it the router delivers, and with nothing smaller that was tried
    setbacks        capacities above the least that were tried and do not deliver
    fewest_steps    of all capacities that were tried, with fewest_steps_capacity at least
    runs            ascend by capacity; without_capacity is the first. Their `outcome` is "delivers", "overflow" or
                    "refused" (`error` says why)
    Options are points (so many capacities more), exhaustive (every capacity below the least is tried) and those of route().
    """
    return _run("stress", {"router": router, **options}, _is_set(set), progress=progress,
                read=lambda report: _read(report, Rows))


def kernel(name: str, side: int, *, progress: Progress | None = None, **options: Any) -> Figures:
    """Runs one primitive alone (kernels(): sort, prefix, route, ..) on a mesh of side x side nodes, in all tiles
    at once, and checks what came out by another method, as `meshcast kernel`. Options are tiles, k, pattern, copy, buffer,
    seed, threads, trace, .., and the parameters method and load. Raises CheckError where what came out is wrong, or a
    buffer overflowed."""
    return _run("kernel", {"side": side, **options}, _word(name, "name"), progress=progress)


def search(router: Union[str, os.PathLike, Router], *, sets: Iterable[Set] = (), progress: Progress | None = None,
           **options: Any) -> Figures:
    """Searches a set that is as bad as possible for a router, on a mesh or on that of the given sets, as `meshcast search`.

    set       the worst set, whose run is `worst`
    tried     sets, of which `made` were given or made to be bad
    promise   bound, formula and kind of what the router promises; is_broken: the run fails, or is worse than that
    Options are side, rows, cols, congestion, per_node, objective ("buffer" or "steps"), tries, seconds and those of route().
    The same tries and seed find the same set. Ctrl-C raises Interrupted, whose result is the worst so far.
    Raises CheckError, with the result, where the worst set makes the router fail or breaks a promise.
    """
    def read(report: _Handle) -> Figures:
        result = _read(report)
        vars(result)["_set"] = Set._from_report(report)
        return result

    begin = [_is_set(one, "one of sets") for one in sets]
    return _run("search", {"router": router, **options}, *begin, progress=progress, read=read)


# ---- expanders ----


def place(items: Path, *, progress: Progress | None = None, **options: Any) -> Figures:
    """Finds which node each item of a file (a matrix, a graph, expert routes, a set) should have, as `meshcast place`.

    placements  the starts and the result, each with name, hops, busiest_link and lower_bound
    Options are side, topology, per_node, replicas, objective, parts, moves, seconds, seed, .. and output, a file that
    Set.from_file(items, part=..) reads. Ctrl-C raises Interrupted, whose result is the best so far."""
    return _run("place", options, _word(items, "items"), progress=progress)


class Expander:
    """An expander graph: `inputs` with r edges each, to c groups; `kind` is "permutation", "rs" or "list", and `data` its
    file. Made by the class methods."""

    def __init__(self, data: bytes, neighbours: Any = None) -> None:
        words = data.split(b"\n", 1)[0].split()
        if len(words) < 6 or words[:2] != [b"expander", b"1"]:
            raise InputError("no graph: expected a first line 'expander 1 KIND ..'")
        self.kind, (self.inputs, second, third) = _decode(words[2]), map(int, words[3:6])
        self.c, self.r = (second * third, second) if self.kind == "rs" else (second, third)
        self.data, self._neighbours = data, neighbours

    @classmethod
    def _make(cls, **options: Any) -> Expander:
        found: list[Any] = []

        def read(report: _Handle) -> None:
            found.append(_array(report, "neighbours", options["inputs"], options["r"]))
        data = _written(lambda path: _run("expander", {**options, "keep_neighbours": True, "output": path}, b"make", read=read))
        return cls(data, *found)

    @classmethod
    def random(cls, inputs: int, c: int, r: int, *, seed: int = 1) -> Expander:
        """The graph of a random permutation of inputs r entries, 1 <= r <= c <= inputs."""
        return cls._make(inputs=inputs, c=c, r=r, seed=seed)

    @classmethod
    def reed_solomon(cls, inputs: int, r: int, q: int, *, k: int | None = None) -> Expander:
        """The Reed-Solomon graph of so many polynomials of degree < k over the field of q elements at r points;
        c = r q. The least k with inputs <= q^k if none is given."""
        return cls._make(inputs=inputs, r=r, q=q, k=k, graph="rs")

    @classmethod
    def read(cls, path: Path) -> Expander:
        """Reads a file of a graph."""
        try:
            with open(_word(path, "path"), "rb") as file:
                return cls(file.read())
        except OSError as error:
            raise SystemFailure(f"cannot open {os.fsdecode(path)}: {error.strerror}") from None

    def write(self, path: Path) -> None:
        """Writes the graph to a file."""
        with open(_word(path, "path"), "wb") as file:
            file.write(self.data)

    def neighbours(self) -> Any:
        """The groups, 0 .. c - 1, of each input, shape (inputs, r), of a graph that was not read."""
        if self._neighbours is None:
            raise UsageError("graphs of files have no neighbours here")
        return self._neighbours

    def __repr__(self) -> str:
        return f"<meshcast.Expander {self.kind}: {self.inputs} inputs, c = {self.c}, r = {self.r}>"


def expander_check(graph: Union[Expander, Path], c: int | None = None, *, progress: Progress | None = None,
                   **options: Any) -> Figures:
    """Brackets the expansion lambda of a graph, or of that in a file, with c groups (of a permutation any number; the
    graph's own if not given), as `meshcast expander check`: any k <= c / r inputs have at least lambda r k distinct
    neighbours. lambda is at least lambda_certified and at most lambda_found, by the inputs found_set."""
    import tempfile
    with tempfile.NamedTemporaryFile() as file:
        if isinstance(graph, Expander):
            file.write(graph.data)
            file.flush()
            graph = file.name
        return _run("expander", {"c": c, **options}, b"check", _word(graph, "graph"), progress=progress).brackets[0]


# ---- plans, networks, loads ----


def plan(set: Set, scheme: Any, *, progress: Progress | None = None, **options: Any) -> Any:
    """Makes the plans of a scheme (schemes()) for each message of a set, without running them, as `meshcast plan`: its
    figures, or of a list of schemes a list of them. Their `costs` have a row per message, without its length:

    message       its number in the set
    traffic       links that worms cross, and others as in `mean`, those that the scheme has

    Options are topology (of a set on a graph), sources (of so many, drawn by the seed), seed, ..; else the scheme's
    parameters.
    """
    def read(report: _Handle) -> Any:
        rows = _read(report, Plans)
        for i, row in enumerate(rows):
            first, last = i * row.messages, (i + 1) * row.messages
            found = {"message": _array(report, "messages")}
            found.update((cost, _array(report, cost)[first:last]) for cost in row.mean if row.mean[cost] is not None)
            vars(row)["_costs"] = Table(found)
        return rows[0] if isinstance(scheme, str) else rows

    return _run("plan", {"scheme": scheme, "keep_costs": True, **options}, _is_set(set), progress=progress, read=read)


class Plans(Figures):
    """Figures of plans; `costs` has a row per message, as plan() says."""

    _costs: Table
    costs = property(lambda self: self._costs)


class Network(Figures):
    """Figures of a run on the network. With keep=True it has arrays: of each message its number in the set, `message`,
    and the cycle of its last delivery, `delivered_at` (2**64 - 1: there was none), and `link_flits`, as Topology.links()
    numbers them."""

    _kept: dict[str, Any] = {}
    message = property(lambda self: self._kept["messages"])
    delivered_at = property(lambda self: self._kept["delivered"])
    link_flits = property(lambda self: self._kept["link-flits"])


def network(set: Set, scheme: Any, *, keep: bool = False, progress: Progress | None = None, **options: Any) -> Any:
    """Sends all messages of a set at once on the network of flits and channels, by a scheme (schemes()), as `meshcast
    network`: its figures, or of a list of schemes a list of them. Times are cycles.

    cycles        of the last delivery; stopped_in: of a deadlock
    latency       mean, median, p95, p99 and max of the messages that are done
    startups      worms that were sent; channel_crossings: flits over links
    buffer_peak   flits in a buffer of a link; messages per node under store-and-forward
    lower_bound   cycles that every scheme needs, by lower_bound_kind
    deadlock      headers that wait, each for another one; None where there is none

    Options are topology (of a set on a graph), flits (of the messages to which the set gives none, header included, or
    "2:9", least and most), sources, switching, vcs, buffer, injection, consumption, startup, router_delay, ports, header,
    seed, threads, trace, ..; else the scheme's parameters. Raises CheckError, with the result, for a deadlock or an overflow.
    """
    def read(report: _Handle) -> Any:
        rows = _read(report, Network)
        if keep:
            vars(rows)["_kept"] = {name: _array(report, name) for name in ("messages", "delivered", "link-flits")}
        return rows

    keeps = {"keep_delivered": True, "keep_link_flits": True} if keep else {}
    return _run("network", {"scheme": scheme, **options, **keeps}, _is_set(set), progress=progress, read=read)


class Load(Rows):
    """Latency against load: `points`, one per rate and scheme."""

    _rows = "points"


def load(topology: Union[str, Topology], scheme: Any, rate: Any, *, set: Set | None = None,
         progress: Progress | None = None, **options: Any) -> Any:
    """Latency against load: messages that arrive by themselves, as `meshcast load`. One rate (messages that a node makes in
    a cycle, above 0 and up to 1) gives a point, several give a Load.

    latency     the mean of a message from its creation to its last delivery, +- half_width with confidence 95 %; None where
                it means nothing. Times are cycles
    accepted    messages per node and cycle that were delivered after the warm-up
    capacity    no scheme could carry a larger rate; routing_capacity: nor could this scheme, by its routing
    saturated   more arrives than is carried; rising: the network had not settled
    saturation_low, saturation_high   with a rate of None and saturation=True: the largest rate that was carried, and the least that
                was found saturated (None if none was)

    Options are destinations, multicast_share, pattern, order, warmup, measure, runs, finite, mix, routing, .. and those of
    network(); with a set a node draws one of its messages. Raises CheckError for a deadlock or an overflow.
    """
    found = _run("load", {"topology": topology, "scheme": scheme, "rate": rate, **options},
                 *([] if set is None else [_is_set(set)]), progress=progress, read=lambda report: _read(report, Load))
    is_one = isinstance(scheme, str) and not isinstance(rate, str) and not hasattr(type(rate), "__iter__")
    return found.points[0] if is_one else found
