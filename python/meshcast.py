"""meshcast from Python: what multicast traffic costs on a mesh.

A message set says which node of a mesh sends a message to which others. A router moves the set over an
emulated machine, where a packet crosses one link a step and waits in buffers in between; the result
tells what the machine counted. Every run checks every delivery. The same sets run on a network of flits
and virtual channels.

    import meshcast
    traffic = meshcast.Set.generate("uniform", side=32, degree=8, congestion=8)
    result = meshcast.route(traffic, "stream", copy="free", buffer=20)
    print(result.steps, result.lower_bound, result.buffer_peak)

Units. Nodes are row-major indices, row * cols + col, from 0. Times of routers and kernels are steps of the
machine, those of networks are cycles. Counts of packets are packets per node.

Arrays are numpy's where numpy is there, and else lists (of lists) of the same shape. scipy, networkx and
pandas are used by the functions that name them, and needed by no other.

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

    Progress = Callable[[int, str], None]
    NetworkProgress = Callable[[int, int, int], None]

__all__ = [
    "Set", "Topology", "Router", "Expander", "Result", "Comparison", "Table",
    "route", "compare", "stress", "best", "kernel", "plan", "network", "load", "search", "expander_check",
    "routers", "schemes", "kernels", "version", "memory_limit",
    "Error", "CheckError", "UsageError", "InputError", "SystemFailure", "Interrupted",
]

# ---- the library's interface: types, structs, enumerations, signatures; a test holds them against the headers ----

ABI = 0  # the number of the binary interface that is written down here

_CALLBACKS: dict[str, Any] = {
    "progress": C.CFUNCTYPE(None, C.c_void_p, C.c_uint64, C.c_char_p),
    "network_progress": C.CFUNCTYPE(None, C.c_void_p, C.c_uint64, C.c_uint64, C.c_uint64),
}

# `ptr` is a pointer to anything but text; enumerations are u32, sizes u64
_TYPES: dict[str, Any] = {
    "void": None, "u32": C.c_uint32, "u64": C.c_uint64, "bool": C.c_bool, "double": C.c_double, "text": C.c_char_p,
    "ptr": C.c_void_p, "u32*": C.POINTER(C.c_uint32), "u64*": C.POINTER(C.c_uint64), "message": C.c_char * 512, "topic": C.c_char * 48,
    **_CALLBACKS,
}


def _struct(name: str, members: str) -> Any:
    """A struct, of its members as C declares them but without the commas."""
    declared = [line.split() for line in members.split(";")]
    return type(name, (C.Structure,), {"_fields_": [(word, _TYPES[line[0]]) for line in declared for word in line[1:]]})


# By the name in the header, without "meshcast_"
_STRUCTS: dict[str, Any] = {name: _struct(name, members) for name, members in {
    "error": "u32 status; message text; topic topic",
    "generate": "text pattern; u32 rows cols degree congestion; u64 seed; u32 per_node groups experts;"
                "text place skew; u32 layer; text populations; double active; u32 stride; text group_file",
    "volume": "text weights; u32 bytes flit_bytes; text pack; ptr entry_weight",
    "import": "u32 side; text map format; bool drops_diagonal is_symmetric counts_from_zero; u64 seed; u32 experts;"
              "text place header; ptr volume; u32 rows cols; ptr topology; bool has_layer; u32 layer",
    "kernel_input": "u32 side tiles k load; text pattern method",
    "runner": "ptr router; text parameters",
    "search_space": "u32 rows cols congestion objective; u64 tries; double seconds; ptr set; u32 sets per_node",
    "traffic": "double rate; u32 destinations; double multicast_share; text pattern; ptr set",
    "wait": "u32 message worm node waits_for source to; text needs",
}.items()}
_TYPES["wait*"] = C.POINTER(_STRUCTS["wait"])
_Error = _STRUCTS["error"]

# What the constants of an enumeration have between MESHCAST_ and the words, which count from 0
_ENUMS: dict[str, tuple[str, list[str]]] = {name: (prefix, words.split()) for name, prefix, words in (
    ("status", "", "ok check usage input system interrupted"),
    ("set_figure", "SET_", "rows cols messages deliveries degree congestion lower_bound messages_per_node"
     " messages_at_home deliveries_at_home"),
    ("number", "", "seed max_threads buffer free_copies unknown_congestion heatmap_of_links timeline_every"
     " keep_node_peaks keep_link_loads keep_timeline reduces"),
    ("file", "", "trace heatmap timeline"),
    ("figure", "", "steps sync_steps buffer_capacity buffer_peak buffer_peak_node buffer_peak_step packet_hops"
     " word_hops copies delivered missing threads proven_steps"),
    ("timeline_column", "ROW_", "step packets delivered fullest busy packet_hops word_hops"),
    ("attempt_figure", "ATTEMPT_", "congestion budget capacity peak steps sync_steps discarded stands"),
    ("kernel_figure", "KERNEL_", "steps sync_steps buffer_peak buffer_peak_node buffer_peak_step packet_hops word_hops"
     " copies tiles tile_rows tile_cols items threads"),
    ("stress_figure", "STRESS_", "least is_exhaustive setbacks too_large fewest_steps fewest_steps_capacity threads"),
    ("outcome", "", "delivers overflows refused"),
    ("stress_run_figure", "STRESS_RUN_", "capacity outcome in_force steps sync_steps peak peak_node peak_step missing"
     " attempts void_attempts"),
    ("objective", "OBJECTIVE_", "buffer steps"),
    ("search_figure", "SEARCH_", "worst tried made moves found_at fails is_broken runs"),
    ("expander_figure", "EXPANDER_", "p c r q k"),
    ("bracket_figure", "BRACKET_", "c largest_set least_load most_load is_regular multi_edges multi_inputs"
     " found_neighbours best"),
    ("network_number", "NETWORK_", "seed sources flits most_flits switching vcs buffer injection consumption startup"
     " startup_per_port router_delay one_port release_when_left max_threads keep_links order warmup measure most_runs"
     " finite until_done header flit_bits"),
    ("header", "HEADER_", "none list bitmap"),
    ("switching", "", "wormhole cut_through store_and_forward circuit"),
    ("cost", "COST_", "traffic additional_traffic startups longest_path all_port one_port steps link_worms shared_links"
     " longest_path_bound"),
    ("network_figure", "NETWORK_", "cycles messages done deliveries delivered missing deliveries_at_home startups"
     " crossings buffer_peak unsent_peak lower_bound busiest_from busiest_to busiest_flits latency_median latency_p95"
     " latency_p99 latency_max shortest longest threads"),
    ("load_figure", "LOAD_", "is_saturated is_rising has_latency runs cycles messages crossings startups buffer_peak"
     " unsent_peak latency_median latency_p95 latency_p99 latency_max warmup measured"),
)}
_OK, _CHECK, _USAGE, _INPUT, _SYSTEM, _INTERRUPTED = range(6)

# What a function returns and takes, and the functions for which it is so, without "meshcast_"
_SIGNATURES = """
bool(ptr): router_guesses_congestion set_is_routable
bool(ptr u64 ptr ptr): topology_link
double(ptr): set_sqrt_cn result_wall_seconds kernel_wall_seconds bracket_certified bracket_second_value bracket_random
double(ptr): network_latency_mean network_wall_seconds load_accepted load_capacity load_routing_capacity
double(ptr ptr): load_latency
double(ptr ptr ptr): search_promise bracket_found
ptr(): interrupt_new options_new network_options_new
ptr(ptr): search_set search_result
ptr(ptr ptr): set_generate
ptr(ptr ptr ptr): set_generate_on set_with_volume
ptr(ptr u32): comparison_router comparison_result
ptr(ptr u32 ptr ptr ptr ptr ptr): set_from_messages
ptr(ptr u64 ptr ptr ptr): set_from_pairs_on
ptr(ptr u64 text ptr): set_parse_any
ptr(text ptr): router_find router_load kernel_find expander_read topology_parse set_read_any scheme_find
ptr(text ptr u32 text ptr): set_import_many
ptr(u32): router_at kernel_at scheme_at
ptr(u32 u32 u32 u32 ptr): expander_reed_solomon
ptr(u32 u32 u32 u64 ptr): expander_random
ptr(u32 u32 u64 ptr ptr ptr): set_from_pairs
ptr(u32 u32 u64 ptr ptr ptr u32 text ptr): set_from_entries
ptr(u64 ptr ptr ptr): topology_from_edges
text(): version
text(ptr): router_name router_summary router_parameters result_peak_phase result_ran_as kernel_name kernel_used_method
text(ptr): search_origin search_last_move expander_kind topology_text set_topology scheme_name network_lower_bound_kind
text(ptr u32): stress_run_reason race_label
text(ptr u32 ptr): result_phase result_foretold_figure result_parameter kernel_phase
text(ptr u32 ptr ptr ptr): bracket_certificate
text(ptr u32 u32): race_reason
u32(): abi routers kernels schemes
u32(ptr): result_phases result_foretold result_parameters result_attempts kernel_phases stress_runs comparison_rows
u32(ptr): race_runners race_points bracket_certificates topology_nodes set_nodes
u32(ptr ptr): plans_messages
u32(ptr ptr ptr ptr ptr): run kernel_run search_run
u32(ptr ptr ptr ptr ptr ptr): plan load_run
u32(ptr ptr ptr ptr text ptr ptr): network_run
u32(ptr ptr u32 bool ptr ptr ptr): stress_run
u32(ptr text text ptr): set_write options_set_parameter expander_write network_options_set_parameter
u32(ptr u32): race_capacity race_winner set_flits
u32(ptr u32 ptr): comparison_status
u32(ptr u32 ptr ptr ptr): expander_check
u32(ptr u32 ptr ptr ptr ptr): compare race_run
u32(ptr u32 text ptr): options_set_file
u32(ptr u32 u64 ptr): options_set network_options_set
u32*(ptr): network_messages
u32*(ptr ptr): result_node_peaks
u32*(ptr u32 ptr ptr): set_message
u64(ptr): topology_links plans_deliveries
u64(ptr bool ptr): set_bound
u64(ptr u32): set_figure result_figure kernel_figure stress_figure search_figure expander_figure bracket_figure
u64(ptr u32): plans_total plans_largest network_figure load_figure
u64(ptr u32 u32): result_attempt stress_run_figure
u64(ptr u32 u32 u32): race_figure
u64*(ptr): result_delivery_steps network_delivered
u64*(ptr ptr): result_link_loads network_link_flits
u64*(ptr u32): plans_costs
u64*(ptr u32 ptr): result_timeline
void(ptr): interrupt_free interrupt_send set_free options_free result_free router_free kernel_result_free stress_free
void(ptr): comparison_free race_free search_free expander_free bracket_free topology_free network_options_free
void(ptr): plans_free network_free load_free
void(u64): memory_limit
void(ptr ptr): options_set_interrupt expander_neighbours network_options_set_interrupt
void(ptr progress ptr): options_set_progress
void(ptr network_progress ptr): network_options_set_progress
wait*(ptr ptr): network_deadlock load_deadlock
"""
_SIGNATURE = {name: signature for signature, _, names in (
    line.partition(":") for line in _SIGNATURES.split("\n")) for name in names.split()}


def _types(name: str) -> tuple[Any, list[Any]]:
    """What a function returns, and its arguments."""
    result, _, arguments = _SIGNATURE[name].rstrip(")").partition("(")
    return _TYPES[result], [_TYPES[word] for word in arguments.split()]


def _open_library() -> C.CDLL:
    """Looks nowhere where others may have put something: in a checkout only a library of the module's own owner."""
    file = f"libmeshcast.so.{ABI}"
    named, module = os.environ.get("MESHCAST_LIBRARY"), os.path.realpath(__file__)
    folder = os.path.dirname(module)
    built = os.path.join(os.path.dirname(folder), "build", "threads", file)
    if named is not None and os.path.isdir(named):
        found = [one for one in os.listdir(named) if one.startswith("libmeshcast.so")]
        named = os.path.join(named, max(found, default=file))
    elif named is None and os.path.basename(folder) == "python" and os.path.isfile(built) and (
            os.stat(built).st_uid == os.stat(module).st_uid):
        named = built
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


def _function(name: str) -> Any:
    if name not in _functions:
        try:
            function = getattr(_library, "meshcast_" + name)
        except AttributeError:
            raise ImportError(f"the library of meshcast has no meshcast_{name}(): it is older than this "
                              "module") from None
        result, function.argtypes = _types(name)
        function.restype = _Pointer if result is C.c_void_p else result
        _functions[name] = function
    return _functions[name]


def _c(name: str, *arguments: Any) -> Any:
    """Calls a function that takes no time."""
    return _function(name)(*arguments)


if _c("abi") != ABI:
    raise ImportError(f"the library of meshcast has the binary interface {_c('abi')}; this module is for {ABI}")


# Enumerations of functions of another name
_ENUM_OF = {"result_figure": "figure", "result_attempt": "attempt_figure", "race_figure": "stress_run_figure"}


def _figures(function: str, handle: Any, *place: int) -> dict[str, Any]:
    """What a function says of each constant of its enumeration."""
    words = _ENUMS[_ENUM_OF.get(function, function)][1]
    return {word: _c(function, handle, *place, i) for i, word in enumerate(words)}


def _property(function: str, text: str, figure: str | None = None) -> Any:
    """The property that a function of the library gives, or a figure of it; `text` documents it."""
    def get(self: Any) -> Any:
        place = () if figure is None else (_ENUMS[function][1].index(figure),)
        value = _c(function, self._handle, *place)
        return _decode(value) if isinstance(value, bytes) else value
    return property(get, doc=text)


def _tuple(cls: Any) -> Any:
    """The named tuple with the annotations of a class."""
    made: Any = namedtuple(cls.__name__, tuple(cls.__annotations__), module=__name__)
    made.__doc__, made.__annotations__ = cls.__doc__, cls.__annotations__
    return made


class _Figures:
    """What results have in common: they have the attributes that their class annotates, and never change. Those
    named in `hidden` are neither shown nor in to_dict(), those in `arrays` not compared either."""

    _kinds: dict[str, str] = {}
    _shown: list[str] = []
    _compared: list[str] = []

    def __init_subclass__(cls, hidden: str = "", arrays: str = "") -> None:
        cls._kinds = cls.__annotations__
        cls._compared = [name for name in cls._kinds if name not in arrays.split()]
        cls._shown = [name for name in cls._compared if name not in hidden.split()]

    def __init__(self, **figures: Any) -> None:
        for name, kind in self._kinds.items():
            value = figures[name] if name in figures else getattr(type(self), name)
            vars(self)[name] = bool(value) if kind == "bool" else value

    @classmethod
    def _read(cls, kind: str, handle: Any, **given: Any) -> Any:
        """The result in a struct of the library: what is not given are the figures of its enumeration, or what
        functions say that are called like the struct and the attribute. 0 and "" are None where there may be none."""
        figures = _figures(kind + "_figure", handle)
        for name, type_ in cls._kinds.items():
            if name in given:
                continue
            if type_ == "tuple[Phase, ...]":
                given[name] = tuple(Phase(*row) for row in _list(handle, kind + "_phases", kind + "_phase", C.c_uint64))
            elif name in figures or f"{kind}_{name}" in _SIGNATURE:
                value = figures[name] if name in figures else _c(f"{kind}_{name}", handle)
                value = _decode(value) if isinstance(value, bytes) or type_.startswith("str") else value
                given[name] = value or None if type_.endswith("| None") else value
        return cls(**given)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"results never change: {name}")

    __delattr__ = __setattr__

    def _key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._compared)

    def __eq__(self, other: Any) -> Any:
        return self._key() == other._key() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._shown)})"

    def to_dict(self) -> dict[str, Any]:
        """The figures by their names, which are those of the program's --json where it has them."""
        return {name: getattr(self, name) for name in self._shown}

    def to_frame(self) -> Any:
        """A pandas.DataFrame of one row with the figures that are single values."""
        return _frame([_flat(self.to_dict())])


def _flat(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items()
            if value is None or isinstance(value, (int, float, str, bool))}


def version() -> str:
    """The version of the library that runs."""
    return _decode(_c("version"))


def memory_limit(size: int | None = 0) -> None:
    """Limits the memory of this process to `size` bytes, above 0, more than it uses now. Calls that need more raise
    SystemFailure. None lifts the limit; 0, which holds at first, is what the system has."""
    _c("memory_limit", 2**64 - 1 if size is None else _seed(size, "size"))


# ---- errors ----


class Error(Exception):
    """What went wrong: the text that the program prints, and in `status` the program's exit status."""

    status = 4


class CheckError(Error):
    """A run ended, but failed a check: a delivery is missing, a buffer overflowed, worms are in a deadlock.
    `result` is what it came to until then, or None."""

    status = 1

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result


class UsageError(Error, ValueError):
    """A mistake of the caller: the text says what would do."""

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
    _USAGE: UsageError, _INPUT: InputError, _SYSTEM: SystemFailure}


# What the program calls otherwise, or what is not an option there
_KEYWORDS = {"matrix": "populations", "param": "parameter", "timeline_every": "every"}


def _keywords(text: str) -> str:
    """A text of the library with keywords in the place of the program's options: "buffer", not "--buffer"."""
    import re

    def keyword(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return _KEYWORDS.get(name, name)
    return re.sub(r"(?<![^\s(])--([a-z][a-z-]*)", keyword, text)


def _fail(error: _Error) -> Error:
    text = _keywords(error.text.decode("ascii", "replace"))
    return CheckError(text) if error.status == _CHECK else _EXCEPTIONS.get(error.status, Error)(text)


# ---- handles and calls ----


class _Handle:
    """A pointer to a struct of the library, which is freed with the last reference to the handle; `keep`
    lives as long."""

    def __init__(self, pointer: Any, free: str | None, keep: Any = None) -> None:
        import weakref
        self._as_parameter_ = pointer
        self.keep = keep
        if free is not None:  # else `keep` owns it
            weakref.finalize(self, _function(free), pointer).atexit = False


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

    try:
        threading.Thread(target=run, name="meshcast", daemon=True).start()
        done.wait()
    except BaseException:
        if interrupt is None:
            raise
        _c("interrupt_send", interrupt)
        done.wait()
        value = came[0][0]
        if isinstance(value, tuple) and value[0] == _INTERRUPTED:
            raise _Stopped(value[1]) from None
        raise
    value, error = came[0]
    if error is not None:
        raise error
    return value


class _Stopped(Exception):
    """Ctrl-C came; `handle` holds what there was, or is None."""

    def __init__(self, handle: _Handle | None) -> None:
        super().__init__()
        self.handle = handle


def _raw(handle: Any) -> Any:
    """The pointer, for a struct; the library's own structs are pointers already."""
    return handle._as_parameter_ if isinstance(handle, _Handle) else handle


def _make(name: str, free: str, *arguments: Any) -> _Handle:
    """Calls a function that gives a handle or fails; the last argument, the error, is added."""
    def work() -> _Handle:
        error = _Error()
        pointer = _c(name, *arguments, C.byref(error))
        if not pointer:
            raise _fail(error)
        return _Handle(pointer, free)
    return _wait(work, None)


def _find(name: str, word: bytes) -> Any:
    """Calls a function that finds what the library has, and keeps, by its name."""
    error = _Error()
    found = _c(name, word, C.byref(error))
    if not found:
        raise _fail(error)
    return found


def _do(name: str, *arguments: Any) -> None:
    """Calls a function that succeeds or fails; the error is added."""
    error = _Error()
    if _c(name, *arguments, C.byref(error)) != _OK:
        raise _fail(error)


def _run(name: str, free: str, options: _Options, *arguments: Any, partial: Callable[[_Handle], Any]) -> Any:
    """Calls a function that takes long and hands out a struct by its last argument but one.
    partial() makes of its handle what is returned; a check that failed and an interruption have it too."""
    def work() -> tuple[int, _Handle | None, _Error]:
        error, pointer = _Error(), C.c_void_p()
        status = _c(name, *arguments, C.byref(pointer), C.byref(error))
        return status, _Handle(pointer, free) if pointer else None, error
    try:
        status, handle, error = _wait(work, options.interrupt)
    except _Stopped as stopped:
        raise Interrupted(partial(stopped.handle) if stopped.handle else None) from None
    if options.raised:
        raise options.raised[0]
    result = partial(handle) if handle else None
    if status == _OK:
        return result
    failure = _fail(error)
    if isinstance(failure, CheckError):
        failure.result = result
        if isinstance(result, Result):
            vars(result)["error"] = str(failure)
    raise failure


# ---- numbers, texts, arrays ----


_MOST = 2**32 - 1


def _number(value: Any, name: str, least: int = 1, most: int = _MOST) -> int:
    """A whole number; None, which says the default, is 0."""
    if value is None:
        return 0
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise UsageError(f"{name} is a whole number, not {value!r}")
    if not least <= number <= most:
        raise UsageError(f"{name} is a whole number {least} .. {most}, not {number}")
    return number


def _seed(value: Any, name: str = "seed") -> int:
    return _number(value, name, 0, 2**64 - 1)


def _real(value: Any, name: str, most: float = float("inf")) -> float:
    """A number above 0; None, which says the default, is 0."""
    if value is None:
        return 0.0
    try:
        number = float("nan") if isinstance(value, (bool, str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not 0 < number <= most or number == float("inf"):
        raise UsageError(f"{name} is a number above 0{'' if most == float('inf') else f' and up to {most}'}, "
                         f"not {value!r}")
    return number


def _flag(value: Any, name: str) -> bool:
    """True or False; None, which says the default, is False."""
    try:
        known = value is None or value in (0, 1)
    except ValueError:  # an array
        known = False
    if not known:
        raise UsageError(f"{name} is True or False, not {value!r}")
    return bool(value)


def _text(value: Any, name: str) -> bytes | None:
    """A path or a word; None: none."""
    return None if value is None else _word(value, name)


def _word(value: Any, name: str) -> bytes:
    """A path or a word that must be given, where the library takes no NULL."""
    try:
        text = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} is a text or a path, not {value!r}") from None
    except UnicodeError:
        raise UsageError(f"{name} has characters that no file's name can have: {value!r}") from None
    if b"\0" in text:
        raise UsageError(f"{name} has a character NUL: {value!r}")
    return text


def _choice(value: Any, name: str, choices: Sequence[str]) -> int:
    """The place of a word; None is the first, the default."""
    if value is None:
        return 0
    if not isinstance(value, str) or value not in choices:
        raise UsageError(f"{name} is {' or '.join(choices)}, not {value!r}")
    return choices.index(value)


_COPIES = ("unit", "free")


def _copy(value: Any) -> str:
    return _COPIES[_choice(value, "copy", _COPIES)]


def _is(value: Any, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a meshcast.{kind.__name__}, not {value!r}")
    return value


def _several(values: Any, name: str, least: int = 1) -> list[Any]:
    """A list of what is given one by one; None, which says the default, is empty."""
    if values is None:
        return []
    if isinstance(values, (str, bytes)) or not hasattr(type(values), "__iter__"):
        raise TypeError(f"{name} is a list, not {values!r}")
    found = list(values)
    if len(found) < least:
        raise UsageError(f"{name} is empty; None is the default")
    return found


def _numpy() -> Any:
    """numpy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _give(values: Any, name: str, bits: int = 32) -> tuple[Any, int]:
    """An array for the library, which lives as long as what is returned, and its length."""
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
    """A masked entry is no number, and no absence of one either."""
    numpy = _numpy()
    if numpy is not None and numpy.ma.is_masked(values):
        raise UsageError(f"{name} has masked entries; leave them out, or fill them")


def _take(pointer: Any, *shape: int) -> Any:
    """A copy of the library's numbers: an array of that shape, or lists."""
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


def _frame(rows: Any) -> Any:
    import pandas
    return pandas.DataFrame(rows)


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

    nodes = _property("topology_nodes", "How many nodes there are.")

    def links(self) -> Table:
        """The directed links: columns `link` (its number in the arrays of networks), `from`, `to` (nodes)."""
        rows: list[tuple[int, int, int]] = []
        source, target = C.c_uint32(), C.c_uint32()
        for link in range(_c("topology_links", self._handle)):
            if _c("topology_link", self._handle, link, C.byref(source), C.byref(target)):
                rows.append((link, source.value, target.value))
        return Table(zip(("link", "from", "to"), ([row[i] for row in rows] for i in range(3))))


def _topology(given: Union[None, str, Topology]) -> Topology | None:
    return given if given is None or isinstance(given, Topology) else Topology(given)


def _mesh(side: int | None, rows: int | None, cols: int | None) -> tuple[int, int]:
    if (side is None) == (rows is None and cols is None) or (rows is None) != (cols is None):
        raise UsageError("a mesh has a side, or rows and cols")
    return (_number(side, "side"),) * 2 if side is not None else (_number(rows, "rows"), _number(cols, "cols"))


def _filled(kind: str, given: dict[str, Any], **members: Any) -> Any:
    """A struct with what is given: its members, and of the arguments of a function (its locals()) those that it
    has too. What it points to must live as long."""
    for name, type_ in _STRUCTS[kind]._fields_:
        if name in given and name not in members and type_ in _READERS:
            members[name] = _READERS[type_](given[name], name)
    return _STRUCTS[kind](**members)


_READERS: dict[Any, Callable[[Any, str], Any]] = {
    C.c_uint32: _number, C.c_uint64: _seed, C.c_char_p: _text, C.c_double: _real}


def _import(given: dict[str, Any], volume: Any = None, **members: Any) -> Any:
    """What an import is told; of side, rows, cols and topology the library refuses what excludes each other."""
    keeps, topology = given["diagonal"] is None or _flag(given["diagonal"], "diagonal"), _topology(given["topology"])
    layer = given.get("layer")
    how = _filled("import", given, drops_diagonal=not keeps, topology=topology and _raw(topology._handle),
                  has_layer=layer is not None, layer=_number(layer, "layer", 0),
                  volume=volume and C.addressof(volume), **members)
    how.held = topology, volume
    return how


def _skew(given: Any) -> bytes | None:
    """An exponent, or the path of a file; None: none."""
    is_number = isinstance(given, (int, float)) or hasattr(given, "dtype")
    return str(_real(given, "skew")).encode() if is_number else _text(given, "skew")


@_tuple
class Message:
    """A message of a set."""

    source: int
    destinations: Any  # ascending, shape (degree of the message,)


class _Made:
    """What is made by class methods alone."""

    _handle: Any
    _makers = ""

    def __init__(self) -> None:
        raise TypeError(self._makers)

    @classmethod
    def _of(cls, handle: Any) -> Any:
        self = cls.__new__(cls)
        self._handle = handle
        return self


class Set(_Made):
    """A message set: who sends to whom. It never changes.

    Made by the class methods below. len() is the number of messages, in the order of their sources, which
    iteration and [index] give as (source, destinations).
    """

    _makers = "sets are made by Set.generate(), Set.read(), Set.from_arrays(), Set.from_scipy(), .."

    @classmethod
    def generate(cls, pattern: str, *, side: int | None = None, rows: int | None = None, cols: int | None = None,
                 topology: Union[None, str, Topology] = None, degree: int | None = None, congestion: int | None = None,
                 per_node: int | None = None, groups: Union[None, int, str, os.PathLike] = None,
                 stride: int | None = None, experts: int | None = None, place: str | None = None,
                 skew: Union[None, float, str] = None, layer: int | None = None,
                 populations: Union[None, str, os.PathLike] = None, active: float | None = None, seed: int = 0) -> Set:
        """A set of a pattern (uniform, worst, hotspot, ..: `meshcast gen --help` lists them) on a mesh or
        topology.

        degree      destinations per message, at most
        congestion  messages that a node receives, at most
        per_node    messages of a node that sends
        groups      of allgather and alltoall: how many groups of consecutive nodes; or a file with a line for each
                    group, of its nodes (each in at most one group; a node in none sends nothing)
        stride      of so many groups: the members of a group are `stride` nodes apart
        experts, place, skew, layer  of moe: how many; spread, block or a file with a line for each expert, of its
                    nodes (of several a token goes to the nearest); an exponent, or a file of counts and a line of it
        populations, active  of populations: the file of the table; the chance that a neuron sends
        What is not given is the pattern's default.
        """
        is_file = isinstance(groups, (str, os.PathLike))
        plan = _filled("generate", locals(), pattern=_word(pattern, "pattern"), rows=0, cols=0, skew=_skew(skew),
                       active=_real(active, "active", 1), groups=0 if is_file else _number(groups, "groups"),
                       group_file=_text(groups, "groups") if is_file else None)
        where = _topology(topology)
        if where is not None:
            if (side, rows, cols) != (None, None, None):
                raise UsageError("a set has a topology, or a side, or rows and cols")
            return cls._of(_make("set_generate_on", "set_free", where._handle, C.byref(plan)))
        plan.rows, plan.cols = _mesh(side, rows, cols)
        return cls._of(_make("set_generate", "set_free", C.byref(plan)))

    @classmethod
    def read(cls, path: Union[str, os.PathLike]) -> Set:
        """Reads a file in the format of meshcast-set(5), of any topology; "-" is standard input."""
        return cls._of(_make("set_read_any", "set_free", _word(path, "path")))

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "bytes") -> Set:
        """The same from the bytes of a file; `name` stands for the path in errors."""
        held = memoryview(data).tobytes()
        return cls._of(_make("set_parse_any", "set_free", held, len(held), _word(name, "name")))

    @classmethod
    def from_arrays(cls, sources: Any, destinations: Any, *, offsets: Any = None, flits: Any = None,
                    side: int | None = None, rows: int | None = None, cols: int | None = None,
                    topology: Union[None, str, Topology] = None) -> Set:
        """The set in which sources[i] sends to destinations[i]: arrays of nodes, shape (pairs,), in any order;
        what one node sends is one message, and a pair that comes again counts once.

        With offsets, shape (messages + 1,), message i goes from sources[i], shape (messages,), to
        destinations[offsets[i]:offsets[i + 1]], each once, so that a node may send several; flits, shape
        (messages,), are lengths for networks. A topology (a Topology or its text) may take the mesh's place.
        """
        from_, count = _give(sources, "sources")
        to, ends = _give(destinations, "destinations")
        if topology is not None and (side, rows, cols) != (None, None, None):
            raise UsageError("a set has a topology, or a side, or rows and cols")
        if offsets is None and flits is None:
            if count != ends:
                raise UsageError(f"{count} sources and {ends} destinations")
            where = _topology(topology)
            if where is not None:
                return cls._of(_make("set_from_pairs_on", "set_free", where._handle, count, from_, to))
            return cls._of(_make("set_from_pairs", "set_free", *_mesh(side, rows, cols), count, from_, to))
        if offsets is None:
            raise UsageError("messages with lengths have offsets")
        offset, bounds = _give(offsets, "offsets", 64)
        length, lengths = (None, count) if flits is None else _give(flits, "flits")
        if bounds != count + 1 or lengths != count:
            raise UsageError(f"{count} sources have {count + 1} offsets, and {count} flits if any; there are "
                             f"{bounds} and {lengths}")
        if any(offset[i] > offset[i + 1] for i in range(count)) or offset[0] != 0 or offset[count] != ends:
            raise UsageError(f"offsets ascend from 0 to the number of destinations, {ends}")
        place = _topology(topology) or Topology("mesh:%dx%d" % _mesh(side, rows, cols))
        return cls._of(_make("set_from_messages", "set_free", place._handle, count, from_, offset, to, length))

    @classmethod
    def from_scipy(cls, matrix: Any, *, side: int | None = None, rows: int | None = None, cols: int | None = None,
                   topology: Union[None, str, Topology] = None, map: str = "row", per_node: int | None = None,
                   part: Union[None, str, os.PathLike] = None, diagonal: bool = True, seed: int = 0,
                   weights: str | None = None, bytes: int | None = None, flit_bytes: int | None = None,
                   pack: str | None = None) -> Set:
        """The set of y = A x: column j is a message from the node that owns index j to the owners of the rows
        with a stored entry in it (an explicit zero counts). `matrix` is sparse, of scipy, or dense: an array
        or a list of rows, of which entries that are not 0 count.

        side      of a square mesh; `rows`, `cols`: of a mesh; `topology`: a Topology or its text. Without any of
                  them the mesh is the least square that holds max(rows, columns)
        map       the order in which nodes own indices: row, snake, hilbert (only of meshes and tori of two
                  dimensions), random (by the seed)
        per_node  consecutive indices a node; `part`: instead, a file with a node for each index
        diagonal  False: what a node would send to itself by (j, j) is left out
        weights   flits or bytes: entries are whole numbers above 0, the lengths of messages; entries of a column
                  with the same one are one message
        bytes     bytes per message; with `flit_bytes` and `pack` as in with_volume()
        """
        given = dict(locals())
        if matrix is None:
            raise TypeError("matrix is a matrix of scipy, an array, or a list of rows, not None")
        _refuse_mask(matrix, "matrix")
        if hasattr(matrix, "tocoo"):
            entries = matrix.tocoo()
            (height, width), row, col, data = entries.shape, entries.row, entries.col, entries.data
        else:
            lines = [_several(line, "a row of matrix", 0) for line in _several(matrix, "matrix", 0)]
            height, width = len(lines), max(map_(len, lines), default=0)
            if any(value is None or isinstance(value, (str, bytes_)) for line in lines for value in line):
                raise UsageError("matrix holds numbers")
            found = [(i, j) for i, line in enumerate(lines) for j, value in enumerate(line) if value != 0]
            row, col = [i for i, _ in found], [j for _, j in found]
            data = [lines[i][j] for i, j in found] if weights is not None else None
        volume = _filled("volume", locals())
        if weights in ("flits", "bytes"):
            held, _ = _give(data, "entries")  # lives as long as the call
            volume.entry_weight = C.cast(held, C.c_void_p)
        return cls._from_entries(height, width, row, col, given, volume)

    @classmethod
    def from_networkx(cls, graph: Any, *, side: int | None = None, rows: int | None = None, cols: int | None = None,
                      topology: Union[None, str, Topology] = None, map: str = "row", per_node: int | None = None,
                      part: Union[None, str, os.PathLike] = None, diagonal: bool = True, seed: int = 0) -> Set:
        """The set in which each vertex of a graph of networkx sends a message to its neighbours, of a directed
        one to its successors. Vertices are numbered as the graph gives them; the rest is as in from_scipy()."""
        given = dict(locals())
        number = {vertex: i for i, vertex in enumerate(graph)}
        ends = [(number[v], number[u]) for u, v in graph.edges()]  # a column sends to rows
        if not graph.is_directed():
            ends += [(u, v) for v, u in ends]
        return cls._from_entries(len(number), len(number), [v for v, _ in ends], [u for _, u in ends], given)

    @classmethod
    def _from_entries(cls, height: int, width: int, row: Any, col: Any, given: dict[str, Any],
                      volume: Any = None) -> Set:
        how, (held, count) = _import(given, volume), _give(row, "rows")
        return cls._of(_make("set_from_entries", "set_free", _number(height, "rows", 0), _number(width, "columns", 0),
                             count, held, _give(col, "columns")[0], C.byref(how),
                             _number(given["per_node"], "per_node"), _text(given["part"], "part")))

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike], *, format: str | None = None, side: int | None = None,
                  rows: int | None = None, cols: int | None = None, topology: Union[None, str, Topology] = None,
                  map: str = "row", per_node: int | None = None, part: Union[None, str, os.PathLike] = None,
                  experts: int | None = None, place: str | None = None, layer: int | None = None, diagonal: bool = True,
                  seed: int = 0, symmetric: bool = False, header: bool | None = None, base: int = 1,
                  weights: str | None = None, bytes: int | None = None, flit_bytes: int | None = None,
                  pack: str | None = None) -> Set:
        """Imports a matrix (mtx, rb), an edge list (edges, adjacency), a hypergraph (hgr, patoh), a graph (graph,
        dimacs) or routes of experts (routes), as `meshcast import`; the format is told by the file if it is not
        given. `experts`, `place` (as of generate()) and `layer` (as the log numbers it, from 0) are for routes, of
        which a log with several layers needs `layer`; `symmetric` and `header` (is the first line no edge?) are for
        edge lists, `base` 0 for vertices of hgr and graph that count from 0; `weights` (flits, bytes) are those of
        the file; the rest is as in from_scipy()."""
        if isinstance(base, bool) or base not in (0, 1):
            raise UsageError(f"base is 0 or 1, not {base!r}")
        how = _import(locals(), _filled("volume", locals()), is_symmetric=_flag(symmetric, "symmetric"),
                      header=None if header is None else b"yes" if _flag(header, "header") else b"no",
                      counts_from_zero=base == 0)
        return cls._of(_make("set_import_many", "set_free", _word(path, "path"), C.byref(how),
                             _number(per_node, "per_node"), _text(part, "part")))

    def with_volume(self, *, bytes: int | None = None, flit_bytes: int | None = None, pack: str | None = None) -> Set:
        """A copy with other lengths, for networks.

        bytes, flit_bytes  per message and per flit: a message is a header flit and as many as its bytes fill
        pack               destinations: messages of a node with the same destinations become one, and their bytes
                           or flits add; pairs: all that goes from one node to another does; none
        """
        volume = _filled("volume", locals())
        return Set._of(_make("set_with_volume", "set_free", self._handle, C.byref(volume)))

    def write(self, path: Union[str, os.PathLike], comment: str | None = None) -> None:
        """Writes the set to a file, which takes its place when it is whole; `comment` becomes lines with a #."""
        _do("set_write", self._handle, _word(path, "path"), _text(comment, "comment"))

    def to_bytes(self) -> bytes:
        """The bytes that write() would write."""
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "set")
            self.write(path)
            with open(path, "rb") as file:
                return file.read()

    def __reduce__(self) -> Any:  # for pickle and copy
        return Set.from_bytes, (self.to_bytes(),)

    rows = _property("set_figure", "Rows of the mesh; 0 where the set is not on a mesh of two dimensions.", "rows")
    cols = _property("set_figure", "Columns of the mesh, or 0.", "cols")
    nodes = _property("set_nodes", "Nodes of the mesh, torus or graph.")
    topology = _property("set_topology", 'Where the set is: "mesh:4x8", "torus:8x8x8", "graph:1000".')
    is_routable = _property("set_is_routable", "Whether routers take the set; networks take every one.")
    deliveries = _property("set_figure", "Destinations of all messages.", "deliveries")
    degree = _property("set_figure", "d: the most destinations of a message.", "degree")
    congestion = _property("set_figure", "c: the most messages that a node receives.", "congestion")
    messages_per_node = _property("set_figure", "l: the most messages that a node sends.", "messages_per_node")
    messages_at_home = _property(
        "set_figure", "Messages for their own source alone. They count in no figure of a run.", "messages_at_home")
    deliveries_at_home = _property(
        "set_figure", "Deliveries to messages' own sources. They are made at step 0 and count in no figure of a run.",
        "deliveries_at_home")
    sqrt_cn = _property("set_sqrt_cn", "S = sqrt(l c n), n the nodes.")

    @property
    def flits(self) -> list[int]:
        """The length of each message, 0 where the set gives none."""
        return [_c("set_flits", self._handle, i) for i in range(len(self))]

    def lower_bound(self, copy: str = "unit") -> tuple[int, str]:
        """Steps that every router needs where a copy costs a step (unit) or nothing (free), and why."""
        kind = C.c_char_p()
        free = bool(_choice(copy, "copy", _COPIES))
        return _c("set_bound", self._handle, free, C.byref(kind)), _decode(kind.value)

    def __len__(self) -> int:
        return _c("set_figure", self._handle, 2)

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
        return f"<meshcast.Set on {self.topology}: {len(self)} messages, {self.deliveries} deliveries>"


map_, bytes_ = map, bytes  # the parameters `map` and `bytes` hide them


# ---- routers ----


class Router:
    """A router by its name, or by the path of a plugin (a shared object; a path has a slash or ends in .so).
    """

    def __init__(self, name: Union[str, os.PathLike]) -> None:
        text = _word(name, "router")
        if b"/" in text or text.endswith(b".so"):
            self._handle: Any = _make("router_load", "router_free", text)
        else:
            self._handle = _find("router_find", text)

    name = _property("router_name", "The name, as results show it.")
    summary = _property("router_summary", "What it does, a line.")
    guesses_congestion = _property(
        "router_guesses_congestion", "Whether it can run with a congestion that nobody knows.")

    @property
    def parameters(self) -> str:
        """Its parameters, a line or more each; may be ""."""
        return _keywords(_decode(_c("router_parameters", self._handle)))

    def __repr__(self) -> str:
        return f"<meshcast.Router {self.name}>"


def _router(given: Union[str, os.PathLike, Router]) -> Router:
    return given if isinstance(given, Router) else Router(given)


def _names(kind: str) -> list[str]:
    return [_decode(_c(kind + "_name", _c(kind + "_at", i))) for i in range(_c(kind + "s"))]


def routers() -> list[str]:
    """The names of the library's routers."""
    return _names("router")


def schemes() -> list[str]:
    """The names of the schemes of plans, networks and loads."""
    return _names("scheme")


def kernels() -> list[str]:
    """The names of the kernels."""
    return _names("kernel")


class _Options:
    """The options of a run, with what must live as long: the interrupt, the callback."""

    def __init__(self, family: str = "", progress: Callable[..., Any] | None = None) -> None:
        self.family = family
        self.raised: list[BaseException] = []  # by progress()
        self.interrupt = self._new("interrupt_new", "interrupt_free")
        self.handle = self._new(family + "options_new", family + "options_free")
        keep = [self.interrupt]
        _c(family + "options_set_interrupt", self.handle, self.interrupt)
        if progress is not None:
            if not callable(progress):
                raise TypeError(f"progress is a function, not {progress!r}")
            keep.append(_CALLBACKS[family + "progress"](self._told(progress, bool(family))))
            _c(family + "options_set_progress", self.handle, keep[1], None)
        self.handle.keep = keep

    @staticmethod
    def _new(name: str, free: str) -> _Handle:
        pointer = _c(name)
        if not pointer:
            raise MemoryError("no memory for options")
        return _Handle(pointer, free)

    def _told(self, progress: Callable[..., Any], is_network: bool) -> Callable[..., None]:
        raised, interrupt = self.raised, self.interrupt

        def call(_context: Any, *numbers: Any) -> None:
            if raised:
                return
            try:
                progress(*(numbers if is_network else (numbers[0], _decode(numbers[1]))))
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                _c("interrupt_send", interrupt)
        return call

    def set(self, number: str, value: int) -> None:
        if value:
            place = _ENUMS[self.family + "number"][1].index(number)
            _do(self.family + "options_set", self.handle, place, value)

    def parameter(self, parameters: dict[str, Any]) -> _Options:
        for name, value in parameters.items():
            if value is None:
                continue
            text = str(int(value)) if isinstance(value, bool) else os.fspath(value) if hasattr(
                value, "__fspath__") else str(value)
            _do(self.family + "options_set_parameter", self.handle, _word(name, "a parameter"), _word(text, name))
        return self


def _or_none(value: Any, name: str) -> int:
    """A whole number that may be 0; of others 0 would mean the default, which None says."""
    return _number(value, name, 0)


# The keywords of runs and of networks that are numbers of the library: as what, and how they are read, or their words
_OPTIONS: dict[str, dict[str, tuple[str, Any]]] = {
    "": {
        "copy": ("free_copies", _COPIES), "seed": ("seed", _seed), "threads": ("max_threads", _number),
        "buffer": ("buffer", _number), "unknown_congestion": ("unknown_congestion", _flag),
        "reduce": ("reduces", _flag),
    },
    "network_": {
        "seed": ("seed", _seed), "sources": ("sources", _number), "vcs": ("vcs", _number),
        "buffer": ("buffer", _number), "injection": ("injection", _number), "consumption": ("consumption", _number),
        "startup": ("startup", _or_none), "router_delay": ("router_delay", _or_none),
        "flit_bits": ("flit_bits", _number), "threads": ("max_threads", _number), "keep_links": ("keep_links", _flag),
        "order": ("order", _number), "warmup": ("warmup", _number), "measure": ("measure", _number),
        "runs": ("most_runs", _number), "finite": ("finite", _flag), "until_done": ("until_done", _flag),
        "switching": ("switching", ("wormhole", "cut-through", "store-and-forward", "circuit")),
        "startup_mode": ("startup_per_port", ("serial", "per-port")), "ports": ("one_port", ("all", "one")),
        "release": ("release_when_left", ("entered", "left")), "header": ("header", ("none", "list", "bitmap")),
    },
}


def _options(given: dict[str, Any], family: str = "") -> _Options:
    """The options among the arguments of a function, which its locals() gives."""
    options = _Options(family, given.get("progress"))
    for keyword, (number, read) in _OPTIONS[family].items():
        if keyword in given:
            value = given[keyword]
            options.set(number, _choice(value, keyword, read) if isinstance(read, tuple) else read(value, keyword))
    flits = given.get("flits")
    if flits is not None:
        for number, length in zip(("flits", "most_flits"), flits if isinstance(flits, tuple) and len(flits) == 2
                                  else (flits, flits)):
            options.set(number, _number(length, "flits"))
    if not family and given.get("trace") is not None:
        _do("options_set_file", options.handle, 0, _word(given["trace"], "trace"))
    return options.parameter(given.get("parameters", {}))


# ---- results ----


@_tuple
class Phase:
    """A phase of a run; those named "sync" are synchronisations."""

    name: str
    steps: int


@_tuple
class Attempt:
    """An attempt with a guessed congestion; budget (steps) and buffer_capacity (packets per node) None: any."""

    congestion: int
    budget: int | None
    buffer_capacity: int | None
    buffer_peak: int
    steps: int
    sync_steps: int
    discarded: int
    stands: bool


@_tuple
class _View:
    heatmap: Any
    link_loads: Any
    timeline: Table


class Result(_Figures, hidden="set delivery_curve", arrays="_views _again"):
    """What a run of a router came to.

    steps              of the machine, sync_steps of them of synchronisations
    proven_steps       more the run could not take, as was known before it; None: no such proof
    foretold           other figures that the router knew before its first step
    phases             their steps add up to `steps`
    lower_bound        steps that every router needs, by lower_bound_kind
    buffer_capacity    packets per node, in force; None: none
    buffer_peak        the most packets that a node held at the end of a step: at buffer_peak_node, first
                       at buffer_peak_step, in buffer_peak_phase
    packet_hops        links crossed by packets, word_hops by control words
    copies             that were made
    delivered, missing deliveries
    delivery_curve     101 steps, by whose ends 0, 1, .. 100 percent of the deliveries, and at least one,
                       had been made; () where not all were made
    ran_as             the router that ran in its place for such a congestion, or None
    parameters         as they were used, defaults included
    attempts           where the congestion was guessed, or a node overflowed
    wall_seconds       of the routing alone: the one figure that differs from run to run
    error              the text where a check failed, else None
    reduce             "sum" where messages were sums, else None
    """

    set: Set
    router: str
    copy: str
    seed: int
    ran_as: str | None
    parameters: dict[str, str]
    attempts: tuple[Attempt, ...]
    steps: int
    sync_steps: int
    proven_steps: int | None
    foretold: dict[str, int]
    phases: tuple[Phase, ...]
    lower_bound: int
    lower_bound_kind: str
    buffer_capacity: int | None
    buffer_peak: int
    buffer_peak_node: int
    buffer_peak_step: int
    buffer_peak_phase: str
    packet_hops: int
    word_hops: int
    copies: int
    delivered: int
    missing: int
    delivery_curve: tuple[int, ...]
    threads: int
    wall_seconds: float
    error: str | None = None
    reduce: str | None = None
    _views: dict[int, _View]
    _again: tuple[Union[str, Router], dict[str, Any]] | None = None  # the arguments of route()

    @property
    def steps_per_sqrt_cn(self) -> float | None:
        """Steps over sqrt(l c n); None where not all was delivered, or the set is empty."""
        return self.steps / self.set.sqrt_cn if self.missing == 0 and self.set.sqrt_cn else None

    @property
    def steps_per_lower_bound(self) -> float | None:
        """Steps over the lower bound; None where not all was delivered, or the bound is 0."""
        return self.steps / self.lower_bound if self.missing == 0 and self.lower_bound else None

    def percentile(self, percent: int) -> int:
        """The step by whose end so many percent of the deliveries (a whole number 0 .. 100) had been made."""
        if not self.delivery_curve:
            raise UsageError("not all was delivered")
        if percent is None:
            raise TypeError("percent is a whole number 0 .. 100, not None")
        return self.delivery_curve[_number(percent, "percent", 0, 100)]

    def to_dict(self) -> dict[str, Any]:
        """The figures, with the set's, by their names in `meshcast route --json`."""
        traffic = self.set
        figures: dict[str, Any] = {
            "rows": traffic.rows, "cols": traffic.cols, "nodes": traffic.nodes,
            "messages": len(traffic) - traffic.messages_at_home, "degree": traffic.degree,
            "congestion": traffic.congestion, "messages_per_node": traffic.messages_per_node,
            "deliveries": traffic.deliveries - traffic.deliveries_at_home,
            "messages_at_home": traffic.messages_at_home, "deliveries_at_home": traffic.deliveries_at_home}
        figures.update(super().to_dict())
        figures.update(
            sqrt_cn=traffic.sqrt_cn, steps_per_sqrt_cn=self.steps_per_sqrt_cn,
            steps_per_lower_bound=self.steps_per_lower_bound,
            phases=[phase._asdict() for phase in self.phases],
            attempts=[attempt._asdict() for attempt in self.attempts],
            delivery_steps={"median": self.delivery_curve[50], "p95": self.delivery_curve[95],
                            "p99": self.delivery_curve[99], "curve": list(self.delivery_curve)}
            if self.delivery_curve else None)
        return figures

    def _view(self, every: int | None = None) -> _View:
        wanted = next(iter(self._views), 1) if every is None else every  # None: any will do
        if wanted not in self._views:
            if self._again is None:
                raise UsageError("this result has no arrays: its router's plugin, or its comparison, is gone")
            router, options = self._again
            try:
                run = route(self.set, router, keep=True, every=wanted, **options)
            except CheckError as error:
                if error.result is None:
                    raise
                run = error.result
            if (run.steps, run.buffer_peak) != (self.steps, self.buffer_peak):
                raise UsageError(f"router {self.router} ran otherwise; route() it for its arrays")
            self._views[wanted] = run._views[wanted]
        return self._views[wanted]

    def heatmap(self) -> Any:
        """The most packets that each node held at the end of a step: shape (rows, cols).

        Unless the run was told to keep it, this and the two below run the router once more, which gives the
        same run; they do so once for all three.
        """
        return self._view().heatmap

    def link_loads(self) -> Any:
        """The packets that crossed each directed link: shape (4, rows, cols), the links of a node to the
        north (row - 1), south, west, east; 0 where there is none."""
        return self._view().link_loads

    def timeline(self, every: int = 1) -> Table:
        """A row for step 0, for each that `every` divides, and for the last; columns:

        step
        packets      in all buffers at its end
        delivered    deliveries so far
        fullest      packets in the fullest buffer at the end of a step since the row before
        busy_links   directed links that carried something in the busiest of these steps
        packet_hops, word_hops  in all of these steps
        """
        return self._view(_number(every, "every") or 1).timeline

    def __str__(self) -> str:
        room = "" if self.buffer_capacity is None else f" of {self.buffer_capacity}"
        return (f"{self.router}: {self.steps} steps, {self.steps_per_lower_bound or 0:.2f} of the lower bound; "
                f"at most {self.buffer_peak}{room} packets at a node; {self.delivered} delivered, "
                f"{self.missing} missing")


def _list(handle: Any, count: str, item: str, kind: Any) -> list[tuple[str, Any]]:
    """Names of a result's list, with the value that stands beside each."""
    value = kind()
    found = []
    for i in range(_c(count, handle)):
        name = _decode(_c(item, handle, i, C.byref(value)))
        found.append((name, _decode(value.value) if kind is C.c_char_p else value.value))
    return found


def _attempts(handle: Any) -> tuple[Attempt, ...]:
    found = []
    for i in range(_c("result_attempts", handle)):
        figure = _figures("result_attempt", handle, i)
        found.append(Attempt(figure["congestion"], figure["budget"] or None, figure["capacity"] or None, figure["peak"],
                             figure["steps"], figure["sync_steps"], figure["discarded"], bool(figure["stands"])))
    return tuple(found)


def _take_view(handle: Any, traffic: Set) -> _View:
    rows, cols, count = traffic.rows, traffic.cols, C.c_uint64()
    heatmap = _take(_c("result_node_peaks", handle, C.byref(count)), rows, cols)
    loads = _take(_c("result_link_loads", handle, C.byref(count)), 4, rows, cols)
    timeline = Table()
    for column, name in enumerate(_ENUMS["timeline_column"][1]):
        values = _c("result_timeline", handle, column, C.byref(count))
        timeline["busy_links" if name == "busy" else name] = _take(values, count.value)
    return _View(heatmap, loads, timeline)


def _result(handle: Any, traffic: Set, router: str, copy: str, seed: int, error: str | None = None,
            reduce: bool = False, view: int = 0, again: Any = None) -> Result:
    bound, kind = traffic.lower_bound(copy)
    figure = _figures("result_figure", handle)
    is_whole = figure["missing"] == 0 and figure["delivered"] > 0
    curve = _c("result_delivery_steps", handle)
    return Result._read(
        "result", handle, set=traffic, router=router, copy=copy, seed=seed, attempts=_attempts(handle),
        parameters=dict(_list(handle, "result_parameters", "result_parameter", C.c_char_p)),
        foretold=dict(_list(handle, "result_foretold", "result_foretold_figure", C.c_uint64)),
        lower_bound=bound, lower_bound_kind=kind, buffer_peak_phase=_decode(_c("result_peak_phase", handle)),
        delivery_curve=tuple(curve[:101]) if is_whole else (), error=error, reduce="sum" if reduce else None,
        _views={view: _take_view(handle, traffic)} if view else {}, _again=again)


def route(set: Set, router: Union[str, os.PathLike, Router], *, copy: str = "unit", buffer: int | None = None,
          seed: int = 0, threads: int | None = None, unknown_congestion: bool = False, reduce: bool = False,
          keep: bool = False, every: int = 1, trace: Union[None, str, os.PathLike] = None,
          progress: Progress | None = None, **parameters: Any) -> Result:
    """Runs a router on a set and checks every delivery.

    router              its name, or the path of a plugin; see Router
    copy                "unit": a copy costs a step of the packet and the node; "free": nothing
    buffer              packets that a node can hold; the router's own bound, or none, if not given
    threads             as many as pay if not given; results are the same for every number
    unknown_congestion  nodes do not know the congestion and guess it
    reduce              the other way round: each destination holds a contribution, and the source receives
                        their sum, combined on the way; trees, replicate, circulate
    keep                keeps heatmap(), link_loads() and timeline(every) from this run, which may then take
                        up to three times as long
    trace               a file for every event of the machine, for `meshcast audit`
    progress            is called now and then with the steps so far and the phase's name
    parameters          constants of the router, as --param NAME=VALUE

    Raises CheckError, with the result as far as the run went; UsageError where the router cannot take an
    option, a parameter or the set.
    """
    given, traffic = _router(router), _is(set, Set, "set")
    reduce, keep, every = _flag(reduce, "reduce"), _flag(keep, "keep"), _number(every, "every") or 1
    copy, seed = "free" if reduce else _copy(copy), _seed(seed)
    options = _options(locals())
    if keep:
        for number, value in (("keep_node_peaks", 1), ("keep_link_loads", 1), ("keep_timeline", 1),
                              ("timeline_every", every)):
            options.set(number, value)
    again = dict(parameters, copy=copy, buffer=buffer, seed=seed, threads=threads,
                 unknown_congestion=unknown_congestion, reduce=reduce)

    def read(handle: Any) -> Result:
        return _result(handle, set, given.name, copy, seed, reduce=reduce, view=every if keep else 0,
                       again=(given, again))

    return _run("run", "result_free", options, given._handle, traffic._handle, options.handle, partial=read)


class Refusal(_Figures):
    """A row of a comparison whose router did not run: `error` says why."""

    router: str
    error: str


class _Rows(list):
    """Results that make one frame."""

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each."""
        return _frame([_flat(row.to_dict()) for row in self])


class Comparison(_Rows):
    """A Result a router, or a Refusal where it did not run; a Result whose check failed has an `error`."""

    @property
    def fastest(self) -> Result | None:
        """The result that delivers in the fewest steps; None: none delivers."""
        whole = [row for row in self if isinstance(row, Result) and row.error is None]
        return min(whole, key=operator.attrgetter("steps"), default=None)

    def __str__(self) -> str:
        return "\n".join(str(row) if isinstance(row, Result) else f"{row.router}: {row.error}" for row in self)


def _runners(routers: Iterable[Union[str, Router]] | None) -> Any:
    """The array of runners, with the routers that must live as long, and how rows name them."""
    chosen = [one if isinstance(one, Router) else os.fsdecode(_word(one, "a router"))
              for one in _several(routers, "routers")]
    runner: Any = (_STRUCTS["runner"] * max(len(chosen), 1))()
    runner.held, runner.labels = [], [one.name if isinstance(one, Router) else one for one in chosen]
    for one, row in zip(chosen, runner):
        name, colon, own = ("", "", "") if isinstance(one, Router) else one.partition(":")
        runner.held.append(one if isinstance(one, Router) else Router(name))
        row.router, row.parameters = _raw(runner.held[-1]._handle), os.fsencode(own) if colon else None
    return runner


def compare(set: Set, routers: Iterable[Union[str, Router]] | None = None, *, copy: str = "unit",
            buffer: int | None = None, seed: int = 0, threads: int | None = None, unknown_congestion: bool = False,
            reduce: bool = False, progress: Progress | None = None, **parameters: Any) -> Comparison:
    """Runs several routers on one set, one after the other: all that can take it if none are named.

    "trees:tree=vh:slots=1" is a router with parameters of its own; of `parameters` each takes those that it
    has. The other options are those of route(). UsageError: all refuse.
    """
    runner, traffic = _runners(routers), _is(set, Set, "set")
    reduce, seed = _flag(reduce, "reduce"), _seed(seed)
    copy = "free" if reduce else _copy(copy)
    options = _options(locals())
    again = dict(copy=copy, buffer=buffer, seed=seed, unknown_congestion=unknown_congestion, reduce=reduce)

    def read(handle: Any) -> Comparison:
        rows = Comparison()
        for i in range(_c("comparison_rows", handle)):
            error, result = _Error(), _c("comparison_result", handle, i)
            status = _c("comparison_status", handle, i, C.byref(error))
            name = runner.labels[i] if runner.labels else _decode(
                _c("router_name", _c("comparison_router", handle, i)))
            text = _decode(error.text) if status != _OK else None
            if result:
                row = _result(result, set, name, copy, seed, text, reduce)
                vars(row)["_again"] = runner.held[i] if runner.labels else name, dict(row.parameters, **again)
                rows.append(row)
            else:
                rows.append(Refusal(router=name, error=text or ""))
        return rows

    try:
        return _run("compare", "comparison_free", options, runner, len(runner.labels), traffic._handle,
                    options.handle, partial=read)
    except CheckError as error:
        if error.result is None:
            raise
        return error.result


# ---- the least buffer ----


@_tuple
class StressRun:
    """A run of stress() or best(): with a capacity (packets per node; None: none was asked for) and what came of it:
    "delivers", "overflow" or "refused" (`reason` says why; such a run has no figures)."""

    capacity: int | None
    outcome: str
    capacity_in_force: int | None
    steps: int
    sync_steps: int
    buffer_peak: int
    reason: str


def _stress_run(prefix: str, handle: Any, *place: int) -> StressRun:
    figure = _figures(prefix + "figure", handle, *place)
    return StressRun(
        figure["capacity"] or None, ("delivers", "overflow", "refused")[figure["outcome"]], figure["in_force"] or None,
        figure["steps"], figure["sync_steps"], figure["peak"], _decode(_c(prefix + "reason", handle, *place)))


class Stress(_Figures):
    """The least buffer of a router.

    least_capacity  packets per node: with it the router delivers, and with nothing smaller that was tried
    is_exhaustive   all smaller ones were tried
    setbacks        capacities above the least that were tried and do not deliver
    fewest_steps    of all capacities that were tried, with fewest_steps_capacity at least
    runs            the first without a capacity, the others ascend by capacity
    """

    router: str
    least_capacity: int
    is_exhaustive: bool
    setbacks: int
    fewest_steps: int
    fewest_steps_capacity: int
    runs: tuple[StressRun, ...]


def stress(set: Set, router: Union[str, os.PathLike, Router], *, points: int | None = None, exhaustive: bool = False,
           copy: str = "unit", seed: int = 0, threads: int | None = None, unknown_congestion: bool = False,
           progress: Progress | None = None, **parameters: Any) -> Stress:
    """Finds the least buffer with which a router delivers, by bisection.

    points      so many capacities more, in equal ratios from 1 to the largest
    exhaustive  every capacity below the least is tried
    The other options are those of route().
    """
    given, traffic = _router(router), _is(set, Set, "set")
    options = _options(locals())

    def read(handle: Any) -> Stress:
        return Stress._read(
            "stress", handle, router=given.name, least_capacity=_c("stress_figure", handle, 0),
            runs=tuple(_stress_run("stress_run_", handle, i) for i in range(_c("stress_runs", handle))))

    return _run("stress_run", "stress_free", options, given._handle, traffic._handle,
                _number(points, "points", 2), _flag(exhaustive, "exhaustive"), options.handle, partial=read)


@_tuple
class RacePoint:
    """A capacity of best() (packets per node; None: none), the fastest router with it (None: none delivers), and
    the run of each router."""

    capacity: int | None
    fastest: str | None
    runs: dict[str, StressRun]


def best(set: Set, routers: Iterable[Union[str, Router]] | None = None, *, copy: str = "unit", seed: int = 0,
         threads: int | None = None, unknown_congestion: bool = False, progress: Progress | None = None,
         **parameters: Any) -> list[RacePoint]:
    """Finds which router is the fastest with each capacity of a node's buffer: the first point is without a
    capacity, the others ascend from 1 packet up, where the fastest one changes. Arguments are those of
    compare()."""
    runner, traffic = _runners(routers), _is(set, Set, "set")
    options = _options(locals())

    def read(handle: Any) -> list[RacePoint]:
        names = runner.labels or [_decode(_c("race_label", handle, i)) for i in range(_c("race_runners", handle))]
        points = []
        for i in range(_c("race_points", handle)):
            winner = _c("race_winner", handle, i)
            points.append(RacePoint(
                _c("race_capacity", handle, i) or None, names[winner] if winner < len(names) else None,
                {name: _stress_run("race_", handle, i, place) for place, name in enumerate(names)}))
        return points

    return _run("race_run", "race_free", options, runner, len(runner.labels), traffic._handle, options.handle,
                partial=read)


# ---- kernels ----


class KernelResult(_Figures):
    """What a kernel came to: steps of the machine, packets at a node, links crossed, as in Result.

    side                  of the mesh; `tiles` of tile_rows x tile_cols (the largest), each with its own input
    items                 packets or values that went in
    """

    kernel: str
    side: int
    copy: str
    pattern: str
    method: str
    k: int
    load: int
    tiles: int
    tile_rows: int
    tile_cols: int
    items: int
    seed: int
    threads: int
    steps: int
    sync_steps: int
    phases: tuple[Phase, ...]
    buffer_peak: int
    buffer_peak_node: int
    buffer_peak_step: int
    packet_hops: int
    word_hops: int
    copies: int
    wall_seconds: float


def kernel(name: str, side: int, *, tiles: int | None = None, k: int = 1, load: int = 100, pattern: str = "random",
           method: str | None = None, copy: str = "unit", buffer: int | None = None, seed: int = 0,
           threads: int | None = None, trace: Union[None, str, os.PathLike] = None,
           progress: Progress | None = None) -> KernelResult:
    """Runs one primitive alone (kernels(): sort, prefix, route, ..) on a mesh of side x side nodes, in all tiles
    at once, and checks what came out by another method.

    tiles    a power of two
    k        packets, sums or instances per node
    load     percent of the nodes that hold packets, about
    pattern  of each tile: random, transpose, .., as `meshcast kernel --help` lists them
    method   one of the kernel's; the standard for k if not given
    Raises CheckError where what came out is wrong, or a buffer overflowed.
    """
    found = _find("kernel_find", _word(name, "name"))
    given = _filled("kernel_input", locals(), k=_number(k, "k") or 1, load=_number(load, "load") or 100)
    copy, seed, pattern = _copy(copy), _seed(seed), "random" if pattern is None else pattern
    options = _options(locals())

    def read(handle: Any) -> KernelResult:
        return KernelResult._read(
            "kernel", handle, kernel=name, side=given.side, copy=copy, pattern=pattern, k=given.k, load=given.load,
            method=_decode(_c("kernel_used_method", handle)), seed=seed)

    return _run("kernel_run", "kernel_result_free", options, found, C.byref(given), options.handle,
                partial=read)


# ---- bad sets ----


class SearchResult(_Figures, hidden="set result"):
    """The worst set that a search found.

    set        the worst set; `result` is its run
    worst      packets at a node (objective "buffer"), or steps without synchronisation ("steps")
    tried      sets, of which `made` were given or made to be bad; found_at: which of them it is, from 1
    origin     the set from which the search came to it, by `moves` changes, last_move the last
    is_broken  its run fails, or is worse than what is promised
    promise    (bound, formula, kind): what the router promises, and how sure that is: "none", "measured",
               "enforced", "proven"
    """

    set: Set
    result: Result
    router: str
    objective: str
    worst: int
    tried: int
    made: int
    moves: int
    found_at: int
    fails: bool
    is_broken: bool
    runs: int
    origin: str
    last_move: str | None
    promise: tuple[float, str, str]


def search(router: Union[str, os.PathLike, Router], *, side: int | None = None, rows: int | None = None,
           cols: int | None = None, congestion: int | None = None, per_node: int | None = None,
           objective: str = "buffer", tries: int | None = None, seconds: float | None = None, sets: Iterable[Set] = (),
           copy: str = "unit", seed: int = 0, threads: int | None = None, unknown_congestion: bool = False,
           progress: Progress | None = None, **parameters: Any) -> SearchResult:
    """Searches a set that is as bad as possible for a router, on a mesh or on that of the given sets.

    congestion      of each set at most; that of the given sets, or 16, and no less than per_node
    per_node        messages that a node sends at most; those of the given sets, or 1
    objective       "buffer" or "steps": what is to be large
    tries, seconds  end the search after so many sets, or so long; 60 seconds if neither is given
    sets            to begin with
    The same tries and seed find the same set. Ctrl-C raises Interrupted, whose result is the worst so far.
    Raises CheckError, with the result, where the worst set makes the router fail or breaks a promise.
    """
    given, begin = _router(router), [_is(one, Set, "one of sets") for one in _several(sets, "sets", 0)]
    copy, seed = _copy(copy), _seed(seed)
    objective = "buffer" if objective is None else objective
    rows, cols = (0, 0) if begin and (side, rows, cols) == (None, None, None) else _mesh(side, rows, cols)
    pointers = (C.c_void_p * max(len(begin), 1))(*(_raw(one._handle) for one in begin))
    space = _filled("search_space", locals(), rows=rows, cols=cols, sets=len(begin),
                    objective=_choice(objective, "objective", _ENUMS["objective"][1]),
                    tries=_number(tries, "tries", 1, 2**64 - 1), set=C.addressof(pointers) if begin else None)
    space.held = begin, pointers
    options = _options(locals())

    def read(handle: _Handle) -> SearchResult:
        worst = Set._of(_Handle(_c("search_set", handle), None, handle))
        formula, kind = C.c_char_p(), C.c_char_p()
        bound = _c("search_promise", handle, C.byref(formula), C.byref(kind))
        return SearchResult._read(
            "search", handle, set=worst, result=_result(_c("search_result", handle), worst, given.name, copy, seed),
            router=given.name, objective=objective, promise=(bound, _decode(formula.value), _decode(kind.value)))

    return _run("search_run", "search_free", options, given._handle, C.byref(space), options.handle,
                partial=read)


# ---- expanders ----


class Expander(_Made):
    """An expander graph: inputs with r edges each, to c groups."""

    _makers = "graphs are made by Expander.random(), Expander.reed_solomon(), Expander.read()"

    @classmethod
    def random(cls, inputs: int, c: int, r: int, *, seed: int = 1) -> Expander:
        """The graph of a random permutation of inputs r entries, 1 <= r <= c <= inputs."""
        return cls._of(_make("expander_random", "expander_free", _number(inputs, "inputs"), _number(c, "c"),
                             _number(r, "r"),
                             1 if seed is None else _seed(seed)))

    @classmethod
    def reed_solomon(cls, inputs: int, r: int, q: int, *, k: int | None = None) -> Expander:
        """The Reed-Solomon graph of so many polynomials of degree < k over the field of q elements at r points;
        c = r q. The least k with inputs <= q^k if none is given."""
        return cls._of(_make("expander_reed_solomon", "expander_free", _number(inputs, "inputs"), _number(r, "r"),
                             _number(q, "q"), _number(k, "k")))

    @classmethod
    def read(cls, path: Union[str, os.PathLike]) -> Expander:
        """Reads a file of a graph; "-" is standard input."""
        return cls._of(_make("expander_read", "expander_free", _word(path, "path")))

    def write(self, path: Union[str, os.PathLike], comment: str | None = None) -> None:
        """Writes the graph to a file, which takes its place when it is whole."""
        _do("expander_write", self._handle, _word(path, "path"), _text(comment, "comment"))

    inputs = _property("expander_figure", "How many inputs there are.", "p")
    c = _property("expander_figure", "Groups.", "c")
    r = _property("expander_figure", "Edges of an input.", "r")
    kind = _property("expander_kind", '"permutation", "rs" or "list".')

    def neighbours(self) -> Any:
        """The groups, 0 .. c - 1, of each input: shape (inputs, r)."""
        held = (C.c_uint32 * (self.inputs * self.r))()
        _c("expander_neighbours", self._handle, held)
        return _take(C.cast(held, C.POINTER(C.c_uint32)), self.inputs, self.r)

    def __repr__(self) -> str:
        return f"<meshcast.Expander {self.kind}: {self.inputs} inputs, c = {self.c}, r = {self.r}>"


@_tuple
class Certificate:
    """A theorem, and the lower bound of the expansion that follows from it; None: left out, `why`."""

    name: str
    theorem: str
    expansion: float | None
    why: str


class Bracket(_Figures, hidden="found_set certificates"):
    """Between which values the expansion lambda of a graph lies: any k <= c / r inputs have at least lambda r k
    distinct neighbours.

    certified     lambda is at least this, 0 if nothing is known
    found         lambda is at most this, by the inputs found_set, which have found_neighbours neighbours
    certificates  what the lower bounds come from
    largest_set   floor(c / r): sets up to it count
    random        what a random graph of these sizes expands by with probability 1 - 1e-6
    """

    c: int
    certified: float
    found: float
    found_set: tuple[int, ...]
    found_neighbours: int
    largest_set: int
    least_load: int
    most_load: int
    is_regular: bool
    multi_edges: int
    multi_inputs: int
    second_value: float | None
    random: float
    certificates: tuple[Certificate, ...]


def expander_check(graph: Union[Expander, str, os.PathLike], c: int | None = None, *, threads: int | None = None,
                   progress: Progress | None = None) -> Bracket:
    """Brackets the expansion of a graph, or of that in a file, with c groups (of a permutation any number; the
    graph's own if not given)."""
    given = graph if isinstance(graph, Expander) else Expander.read(os.fsdecode(_word(graph, "graph")))
    options = _options({"threads": threads, "progress": progress})

    def read(handle: Any) -> Bracket:
        inputs, count = C.POINTER(C.c_uint32)(), C.c_uint32()
        found = _c("bracket_found", handle, C.byref(inputs), C.byref(count))
        certificates = []
        for i in range(_c("bracket_certificates", handle)):
            theorem, value, why = C.c_char_p(), C.c_double(), C.c_char_p()
            name = _c("bracket_certificate", handle, i, C.byref(theorem), C.byref(value), C.byref(why))
            certificates.append(Certificate(_decode(name), _decode(theorem.value),
                                            None if why.value else value.value, _decode(why.value)))
        return Bracket._read("bracket", handle, found=found, found_set=tuple(inputs[:count.value]),
                             certificates=tuple(certificates))

    return _run("expander_check", "bracket_free", options, given._handle, _number(c, "c"), options.handle,
                partial=read)


# ---- plans, networks, loads ----


def _scheme(name: str) -> Any:
    return _find("scheme_find", _word(name, "scheme"))


class Plans(_Figures, arrays="messages costs"):
    """What the plans of a scheme cost, message by message, without their lengths.

    messages  the number of each message in the set: shape (messages,)
    costs     a column a cost, shape (messages,), those that the scheme has:
              traffic (links that worms cross), additional_traffic (of these, beyond one a destination),
              startups (worms), longest_path (links of the longest worm), all_port and one_port (hops until the
              last destination has it), steps, link_worms (the most over one link), shared_links (that
              several worms cross), longest_path_bound
    total     the sum of each cost; largest: the largest of each
    """

    scheme: str
    deliveries: int
    total: dict[str, int]
    largest: dict[str, int]
    messages: Any
    costs: Table


def plan(set: Set, scheme: str, *, topology: Union[None, str, Topology] = None, sources: int | None = None,
         seed: int = 0, progress: NetworkProgress | None = None, **parameters: Any) -> Plans:
    """Makes the plans of a scheme (schemes()) for each message of a set, without running them.

    topology  of a set on a graph: "graph:FILE"; else the set says it
    sources   the messages of so many sources alone, drawn by the seed
    progress  is called with the messages that are done, all, and 0
    """
    found, place, traffic = _scheme(scheme), _topology(topology), _is(set, Set, "set")
    options = _options(locals(), "network_")

    def read(handle: Any) -> Plans:
        numbers = C.POINTER(C.c_uint32)()
        count = _c("plans_messages", handle, C.byref(numbers))
        costs, total, largest = Table(), {}, {}
        for cost, name in enumerate(_ENUMS["cost"][1]):
            column = _c("plans_costs", handle, cost)
            if column:
                costs[name] = _take(column, count)
                total[name] = _c("plans_total", handle, cost)
                largest[name] = _c("plans_largest", handle, cost)
        return Plans(scheme=scheme, deliveries=_c("plans_deliveries", handle), total=total, largest=largest,
                     messages=_take(numbers, count), costs=costs)

    return _run("plan", "plans_free", options, found, traffic._handle, place and place._handle, options.handle,
                partial=read)


@_tuple
class Wait:
    """A header in a deadlock: of which message and worm, at which node it waits and for what, and the place in
    the tuple of the header that it waits for."""

    message: int
    worm: int
    node: int
    waits_for: int
    source: int
    to: int
    needs: str


def _waits(function: str, handle: Any) -> tuple[Wait, ...]:
    count = C.c_uint32()
    first = _c(function, handle, C.byref(count))
    return tuple(Wait(*(_decode(value) if isinstance(value, bytes) else value for value in (
        getattr(first[i], name) for name in Wait._fields))) for i in range(count.value))


class NetworkResult(_Figures, arrays="message delivered_at link_flits"):
    """What a set came to on the network, all messages at once. Times are cycles.

    cycles             of the last delivery
    latency_mean, ..   cycles per message, of those that are done
    startups           worms that were sent
    crossings          flits over links
    busiest_link       (from, to, flits), or None
    buffer_peak        flits in a buffer of a link; messages per node under store-and-forward
    unsent_peak        worms of a node that waited to be sent
    lower_bound        cycles that every scheme needs, by lower_bound_kind
    shortest, longest  flits of a message
    message, delivered_at  shape (messages,): the number of each in the set, and the cycle of its last delivery
                       (2**64 - 1: it is not done)
    link_flits         shape (links,), as Topology.links() numbers them; None if they were not kept
    deadlock           headers that wait, each for one of them; () where there is none
    """

    scheme: str
    messages: int
    done: int
    deliveries: int
    delivered: int
    missing: int
    deliveries_at_home: int
    cycles: int
    latency_mean: float
    latency_median: int
    latency_p95: int
    latency_p99: int
    latency_max: int
    startups: int
    crossings: int
    busiest_link: tuple[int, int, int] | None
    buffer_peak: int
    unsent_peak: int
    lower_bound: int
    lower_bound_kind: str
    shortest: int
    longest: int
    threads: int
    wall_seconds: float
    deadlock: tuple[Wait, ...]
    message: Any
    delivered_at: Any
    link_flits: Any


def network(set: Set, scheme: str, *, topology: Union[None, str, Topology] = None,
            flits: Union[None, int, tuple[int, int]] = None, sources: int | None = None, switching: str = "wormhole",
            vcs: int | None = None, buffer: int | None = None, injection: int | None = None,
            consumption: int | None = None, startup: int = 0, startup_mode: str = "serial", router_delay: int = 0,
            ports: str = "all", release: str = "entered", header: str = "none", flit_bits: int | None = None,
            seed: int = 0, threads: int | None = None, keep_links: bool = False,
            trace: Union[None, str, os.PathLike] = None, progress: NetworkProgress | None = None,
            **parameters: Any) -> NetworkResult:
    """Sends all messages of a set at once on the network of flits and channels, by a scheme (schemes()).

    topology      of a set on a graph: "graph:FILE"; else the set says it
    flits         length of the messages to which the set gives none, header included, or (least, most)
    sources       the messages of so many sources alone, drawn by the seed
    switching     wormhole, cut-through, store-and-forward, circuit
    vcs           virtual channels a link; 1 if not given
    buffer        flits that a virtual channel holds, 4 if not given; under store-and-forward messages per node
    injection, consumption  channels by which a node sends and takes in; as many as it has links if not given
    startup       cycles that a node works on each worm that it sends; startup_mode: serial, per-port
    router_delay  cycles that a header waits in each router
    ports         all, one: whether a node sends to all children at once
    release       entered, left: when a virtual channel is free again
    header        none, list, bitmap: how first flits of flit_bits bits, 64 if not given, name a worm's stops
    keep_links    the result has link_flits
    progress      is called with the messages that are done, all, and the cycle
    parameters    of the scheme, as --param NAME=VALUE
    Raises CheckError, with the result, for a deadlock or an overflow.
    """
    found, place, traffic = _scheme(scheme), _topology(topology), _is(set, Set, "set")
    options = _options(locals(), "network_")

    def read(handle: Any) -> NetworkResult:
        figure, links = _figures("network_figure", handle), C.c_uint64()
        busiest = tuple(figure["busiest_" + name] for name in ("from", "to", "flits"))
        crossed = _c("network_link_flits", handle, C.byref(links))
        return NetworkResult._read(
            "network", handle, scheme=scheme, busiest_link=busiest if busiest[2] else None,
            deadlock=_waits("network_deadlock", handle),
            message=_take(_c("network_messages", handle), figure["messages"]),
            delivered_at=_take(_c("network_delivered", handle), figure["messages"]),
            link_flits=_take(crossed, links.value) if crossed else None)

    return _run("network_run", "network_free", options, found, traffic._handle, place and place._handle,
                options.handle, _text(trace, "trace"), partial=read)


class LoadPoint(_Figures):
    """Latency at a load. Times are cycles, rates are messages per node and cycle.

    latency         the mean of a message from its creation to its last delivery, +- half_width with
                    confidence 95 %; None where it means nothing
    accepted        messages per node and cycle that were delivered behind the warm-up
    capacity        no scheme could carry a larger rate
    routing_capacity  nor could this scheme, by its routing; None: not known
    is_saturated    more arrives than is carried; is_rising: the network had not settled
    cycles, messages, crossings (flits over links), startups (worms)  of all `runs`
    warmup, measured  messages a run, as used
    """

    scheme: str
    rate: float
    destinations: int | None
    latency: float | None
    half_width: float | None
    accepted: float
    capacity: float
    routing_capacity: float | None
    is_saturated: bool
    is_rising: bool
    runs: int
    cycles: int
    messages: int
    crossings: int
    startups: int
    buffer_peak: int
    unsent_peak: int
    latency_median: int
    latency_p95: int
    latency_p99: int
    latency_max: int
    warmup: int
    measured: int
    deadlock: tuple[Wait, ...]


class Points(_Rows):
    """LoadPoints, one a rate."""


def load(topology: Union[str, Topology], scheme: str, rate: Union[float, Iterable[float]], *,
         destinations: int | None = None, multicast_share: float | None = None, pattern: str | None = None,
         set: Set | None = None, flits: Union[None, int, tuple[int, int]] = None, switching: str = "wormhole",
         vcs: int | None = None, buffer: int | None = None, injection: int | None = None,
         consumption: int | None = None, startup: int = 0, startup_mode: str = "serial", router_delay: int = 0,
         ports: str = "all", release: str = "entered", header: str = "none", flit_bits: int | None = None,
         order: int | None = None, warmup: int | None = None, measure: int | None = None, runs: int | None = None,
         finite: bool = False, until_done: bool = False, seed: int = 0, threads: int | None = None,
         progress: NetworkProgress | None = None, **parameters: Any) -> Any:
    """Latency against load: messages that arrive by themselves. One rate gives a LoadPoint, several give Points.

    rate          messages that a node makes in a cycle, above 0 and up to 1
    destinations  of a message, all other nodes being as likely; 1 if not given
    multicast_share  of messages that have `destinations`, the others having one; 1 if not given
    pattern       or a permutation of kernels: random, transpose, ..
    set           or a node draws one of its messages in the set
    order         times between a node's messages are the sum of so many geometric ones; 1 if not given
    warmup, measure  messages before those that are measured, and those; by the latency if not given
    runs          at most, until the mean is known within 5 %; 20 if not given
    finite        no messages arrive behind the measured ones
    until_done    a saturated run is not stopped
    The network's options are those of network(). Raises CheckError for a deadlock or an overflow.
    """
    given, found, place = dict(locals()), _scheme(scheme), _topology(topology)
    if place is None:
        raise UsageError("load() wants a topology, such as 'mesh:8x8'")
    if set is not None:
        _is(set, Set, "set")
    several = hasattr(type(rate), "__iter__") and getattr(rate, "ndim", 1) > 0 and not isinstance(rate, (str, bytes))
    points = Points()
    rates = [_real(one, "rate", 1) for one in (_several(rate, "rate") if several else (rate,))]
    if 0 in rates:
        raise UsageError("load() wants a rate")
    for one in rates:
        traffic = _filled("traffic", given, rate=one, multicast_share=_real(multicast_share, "multicast_share", 1),
                          set=None if set is None else _raw(set._handle))
        traffic.held = set
        options = _options(given, "network_")

        def read(handle: Any, rate: float = one) -> LoadPoint:
            half, means = C.c_double(), _c("load_figure", handle, _ENUMS["load_figure"][1].index("has_latency"))
            mean = _c("load_latency", handle, C.byref(half))
            return LoadPoint._read(
                "load", handle, scheme=scheme, rate=rate, latency=mean if means else None,
                destinations=destinations or (1 if pattern is None and set is None else None),
                half_width=half.value if means else None, deadlock=_waits("load_deadlock", handle))

        points.append(_run("load_run", "load_free", options, place._handle, found, C.byref(traffic),
                           options.handle, partial=read))
    return points if several else points[0]
