# meshcast: `make demo` and `make test` do everything on a fresh Debian machine; `make check` tests without installing
# packages; `make dependencies`, `make install` and `make uninstall` (PREFIX, DESTDIR), `make deb`, `make clean`.
# Options: SERIAL=1 (no threads), asan=1 (address and undefined-behaviour sanitizers), V=1 (whole
# commands), JOBS=N (suites, and compilers of `make test`, at once; a core each if not given), BROWSER=0
# (no browser for `make test`), MPI=1 (also meshcast-mpi; `make MPI=1 test` tests only that).

# The user's CFLAGS replace these, with what hardens the C library's calls
CFLAGS ?= -g $(if $(asan),-O1,-O3 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
BUILD ?= build/$(if $(SERIAL),serial,threads)$(if $(asan),-asan)
PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/meshcast,meshcast)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Where zsh and fish look for completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
JOBS = $(shell getconf _NPROCESSORS_ONLN)

# assert() guards the rules of the machine and is never compiled out. One object serves the program and both libraries;
# what a build gives depends on no path.
MODE = -UNDEBUG -ffp-contract=off -fPIC -fvisibility=hidden '-ffile-prefix-map=$(CURDIR)=.' \
	$(if $(SERIAL),-DMESHCAST_SERIAL,-pthread) $(if $(asan),$(SANITIZE))
REQUIRED = -I. -D_POSIX_C_SOURCE=200809L -MMD -MP
COMPILE = -std=c11 $(REQUIRED) -fstack-protector-strong $(CPPFLAGS) -Wall -Wextra -Wshadow $(CFLAGS) $(MODE)
# What the address sanitizer sees as well is left out, and alignment with it: a quarter of the time. The
# fuzzers, with clang, check everything.
SANITIZE = -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
HARDEN_LINK = -Wl,-z,relro,-z,now

# Threads are OpenMP's, which only base/parallel.c knows. gcc's runtime is a part of the program, which says how threads
# wait before the runtime looks (cli/wait_policy.c); clang's looks later.
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
OPENMP = $(if $(SERIAL),,$(if $(IS_CLANG),-fopenmp,-lgomp))
OPENMP_PROGRAM = $(if $(SERIAL)$(IS_CLANG),$(OPENMP),-Wl,--exclude-libs,libgomp.a $(shell $(CC) -print-file-name=libgomp.a))
$(BUILD)/base/parallel.o: REQUIRED += $(if $(SERIAL),,-fopenmp)
LIBRARY_LIBS = -larchive -ljansson -lmetis -lz -lm $(OPENMP)
LIBS = -larchive -ljansson -lmetis -lsqlite3 -lz -lm $(OPENMP_PROGRAM)
TEST_LIBS = -lcheck -lsubunit -lrt -lpthread
# Calls that test/machine/allocation_count.c and test/assertion_mark.c take from our objects
TEST_WRAPPED = -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free -Wl,--wrap=_mark_point

MACHINE = machine $(addprefix machine/,transit forward channel cycle plane word gather ranks)
LAYERS = base chart $(MACHINE) network/topology network/schemes network primitives routers expanders workloads search place audit view library
# Only make MPI=1 compiles what knows MPI
LIBRARY = $(sort $(filter-out machine/ranks/ranks_mpi%,$(wildcard $(LAYERS:=/*.c))))
COMMANDS = $(sort $(filter-out cli/main.c,$(wildcard lab/*.c cli/*.c)))
VERSION := $(shell sed -n 's/^\#define MESHCAST_VERSION "\(.*\)"/\1/p' library/meshcast.h)
SONAME = libmeshcast.so.$(shell sed -n 's/^\#define MESHCAST_ABI //p' library/meshcast.h)
LIBRARIES = $(BUILD)/libmeshcast.a $(BUILD)/libmeshcast.so.$(VERSION)
# The fuzzers have a main() of their own each, as what is in mpi/, and what is in preload/ is a library for one test
TESTS = $(filter-out test/fuzz/% test/mpi/% test/preload/%,$(wildcard test/*.c test/*/*.c))
# Suites that take long come first, so that all workers end at about one time
LONG_SUITES = tutorial router locality ranks engines capacity allocation help many_messages determinism stream random \
	search run_page pattern replicate expander_bounds install kernel
suites_of = $(patsubst test_%.c,%,$(filter test_%,$(notdir $(1))))
SUITES = $(LONG_SUITES) $(filter-out $(LONG_SUITES) mpi,$(sort $(call suites_of,$(TESTS))))
# Suites that have a long form: those which include test/length.h
LONG_FORMS = $(call suites_of,$(shell grep -l 'include "test/length.h"' $(TESTS)))
# The serial program that tests of the long form compare with
SERIAL_BUILD = build/serial$(if $(asan),-asan)
SERIAL_PROGRAM = $(if $(SERIAL),$(PROGRAM),$(SERIAL_BUILD)/meshcast)

BUILD_PACKAGES = gcc libc6-dev make libarchive-dev zlib1g-dev libjansson-dev libmetis-dev libsqlite3-dev \
	$(if $(MPI),$(if $(filter file,$(origin MPICC)),libopenmpi-dev openmpi-bin libmpich-dev mpich))
# The tests draw pictures, format the manual pages, complete words, open pages in a browser, and use the library from Python
TEST_PACKAGES = $(BUILD_PACKAGES) g++ check libpcg-cpp-dev pkgconf gnuplot-nox mandoc bash-completion \
	$(if $(filter 0,$(BROWSER)),,chromium) python3 $(addprefix python3-,cffi numpy scipy pandas networkx)

object = $(patsubst %.c,$(BUILD)/%.o,$(1))
# say: a short line instead of the command that follows it, which V=1 shows
say = $(if $(V),,@echo "$(1)";)
# What does not compile may lack packages
or_tell = || { CC="$(CC)" sh .ci/packages --tell $(BUILD_PACKAGES); exit 1; }
# All cores, unless the user said how many
parallel = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
MAKEFLAGS += --no-print-directory

.PHONY: all test check check-long demo install uninstall deb clean format dependencies test-dependencies races always
.PHONY: bench benches figures book worst papers quotes page-test page-picture page-speed fuzz coverage ranks mpi-test
all: $(PROGRAM) $(LIBRARIES)

# Plugins find the library's functions in the program, which shows those of the public headers and no other
$(PROGRAM): $(call object,$(LIBRARY) $(COMMANDS) cli/main.c)
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) -pie -rdynamic $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(or_tell)

# What is hidden in the shared library must not meet names of the user's in the static one either
$(BUILD)/libmeshcast.a: $(call object,$(LIBRARY))
	$(call say,link $@)$(CC) $(CFLAGS) $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -r -nostdlib -o $(@:.a=.o) $^
	@objcopy --localize-hidden $(@:.a=.o)
	@rm -f $@ && $(AR) rcsD $@ $(@:.a=.o)

# Threads of OpenMP outlive a run, so the shared library stays where it was loaded
$(BUILD)/libmeshcast.so.$(VERSION): $(call object,$(LIBRARY))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) $(HARDEN_LINK) $(LDFLAGS) -shared -Wl,-z,nodelete -Wl,-soname,$(SONAME) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/test/run: $(call object,$(LIBRARY) $(COMMANDS) $(TESTS))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) -rdynamic $(LDFLAGS) $(TEST_WRAPPED) -o $@ $^ $(LIBS) $(TEST_LIBS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,compile $<)$(CC) $(COMPILE) -c -o $@ $< $(or_tell)

# The sources of the page that shows a run, as bytes with a zero after them, for view/run_page.c
PAGE_SCRIPTS = $(addprefix view/,blocks.js machine_run.js network_run.js colours.js mesh_view.js timeline_view.js selftest.js page.js)
PAGE_PARTS = $(addprefix $(BUILD)/view/,page.html.inc page.css.inc page_script.inc)
as_bytes = @mkdir -p $(@D); cat $^ | od -An -v -td1 | sed 's/\([0-9-][0-9]*\)/\1,/g' >$@.new && echo 0 >>$@.new && mv $@.new $@
$(BUILD)/view/run_page.o: REQUIRED += -I$(BUILD)
$(BUILD)/view/run_page.o: $(PAGE_PARTS)
$(BUILD)/view/page_script.inc: $(PAGE_SCRIPTS)
	$(as_bytes)
$(BUILD)/view/%.inc: view/%
	$(as_bytes)

# The list of suites, which test/run.c includes; a list that is as before keeps its time
SUITE_LINES = $(foreach suite,$(SUITES) $(if $(MPI),mpi),SUITE($(suite),$(if $(filter $(suite),$(LONG_FORMS)),true,false)))
$(BUILD)/test/run.o: REQUIRED += -I$(BUILD)
$(BUILD)/test/run.o: $(BUILD)/test/suites.inc
$(BUILD)/test/suites.inc: always
	@mkdir -p $(@D)
	@printf '%s\n' '$(SUITE_LINES)' | tr ' ' '\n' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

dependencies:
	@CC="$(CC)" sh .ci/packages $(BUILD_PACKAGES)

test-dependencies:
	@CC="$(CC)" CXX="$(CXX)" sh .ci/packages $(TEST_PACKAGES)

# What is missing must be there before anything is compiled, in a parallel make too
ifndef MPI
test: test-dependencies
	@echo "make test: builds, then $(words $(SUITES)) suites; about 4 minutes on two quiet cores"
	@$(MAKE) $(parallel) check
endif

check: $(PROGRAM) $(LIBRARIES) $(BUILD)/test/run
	@MESHCAST='$(abspath $(PROGRAM))' MESHCAST_OBJECTS='$(abspath $(BUILD))' \
	$(if $(LONG),MESHCAST_SERIAL_PROGRAM='$(abspath $(SERIAL_PROGRAM))') \
	MESHCAST_MAKE='$(MAKE) SERIAL=$(SERIAL) asan=$(asan) BUILD=$(BUILD) PROGRAM=$(PROGRAM)' \
	MESHCAST_SANITIZE='$(if $(asan),$(SANITIZE))' MESHCAST_FORTIFY='$(findstring -D_FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS))' CC='$(CC)' \
	$(BUILD)/test/run --jobs $(JOBS) $(LONG)

# The suites that have a long form, in that form: larger meshes, more parameters, the serial build against threads
check-long: test-dependencies
	@echo "make check-long: builds, then the $(words $(LONG_FORMS)) suites of $(words $(SUITES)) that have a long form"
	@$(MAKE) $(parallel) SERIAL=1 BUILD=$(SERIAL_BUILD) PROGRAM=$(SERIAL_PROGRAM) all
	@$(MAKE) $(parallel) LONG=--long-forms check

# All routers under clang's thread sanitizer, whose Archer knows the barriers of clang's OpenMP
races:
	@sh .ci/packages clang libomp-dev && sh .ci/packages "libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev"
	@$(MAKE) $(parallel) CC=clang BUILD=build/races PROGRAM=build/races/meshcast CFLAGS='-O1 -g -fsanitize=thread' build/races/meshcast
	@sh test/races.sh build/races/meshcast

demo: dependencies
	@$(MAKE) $(parallel) all
	@sh cli/demo.sh '$(abspath $(PROGRAM))'

include bench/bench.mk test/fuzz/fuzz.mk $(if $(MPI),machine/ranks/ranks.mk)
.SECONDARY:

format:
	clang-format-14 -i $(wildcard */*.c */*.h */*/*.c */*/*.h)

install: all
install uninstall:
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" ZSHDIR="$(ZSHDIR)" FISHDIR="$(FISHDIR)" DESTDIR="$(DESTDIR)" VERSION=$(VERSION) \
	PYTHONDIR="$(PYTHONDIR)" PRIVATE="$(LIBRARY_LIBS) $(if $(SERIAL),,-lpthread)" RANKS="$(if $(MPI),$(MPI_PROGRAM))" \
	sh library/install.sh $(PROGRAM) $(BUILD) $@

# Debian packages, in build/deb
deb:
	@sh .ci/packages $(BUILD_PACKAGES) build-essential debhelper dh-python python3 lintian
	@JOBS=$(JOBS) sh debian/build.sh $(VERSION)

clean:
	rm -rf build meshcast meshcast-mpi

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)
