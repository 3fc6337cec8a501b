# meshcast: `make demo` and `make test` do everything on a fresh Debian machine.
# Options: SERIAL=1 (no threads), asan=1 (address and undefined-behaviour sanitizers), V=1 (whole
# commands), JOBS=N (suites, and compilers of `make test`, at once; a core each if not given), BROWSER=0
# (no browser for `make test`), MPI=1 (also meshcast-mpi; `make MPI=1 test` tests only that).

CFLAGS ?= $(if $(asan),-O1,-O3) -g
BUILD ?= build/$(if $(SERIAL),serial,threads)$(if $(asan),-asan)
PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/meshcast,meshcast)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Where zsh and fish look for completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
WORST_TRIES ?= 600

# assert() guards the rules of the machine and is never compiled out
WARNINGS = -Wall -Wextra -Wshadow
REQUIRED = -I. -D_POSIX_C_SOURCE=200809L -MMD -MP
# One object serves the program and both libraries; what a build gives depends on no path
MODE = -UNDEBUG -ffp-contract=off -fPIC -fvisibility=hidden '-ffile-prefix-map=$(CURDIR)=.' \
	$(if $(SERIAL),-DMESHCAST_SERIAL,-pthread) $(if $(asan),$(SANITIZE))
# What the address sanitizer sees as well is left out, and alignment with it: a quarter of the time. The
# fuzzers, with clang, check everything.
SANITIZE = -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
LIBRARY_LIBS = -larchive -ljansson -lz -lm $(if $(SERIAL),,$(OPENMP))
# Threads are OpenMP's, which base/parallel.c alone knows. gcc's runtime is a part of the program, which says how threads
# wait before the runtime looks (cli/wait_policy.c); clang's looks later.
OPENMP = $(if $(IS_CLANG),-fopenmp,-lgomp)
OPENMP_PROGRAM = $(if $(SERIAL),,$(if $(IS_CLANG),-fopenmp,-Wl,--exclude-libs,libgomp.a $(shell $(CC) -print-file-name=libgomp.a)))
IS_CLANG = $(eval IS_CLANG := $(shell $(CC) --version 2>/dev/null | grep clang))$(IS_CLANG)
$(BUILD)/base/parallel.o: REQUIRED += $(if $(SERIAL),,-fopenmp)

# Hardening. FORTIFY needs the optimiser, and sanitizers check more, so each is left out where it does
# nothing. The user's flags come later and win. The compiler is asked once, and only if it is to compile.
MACROS = $(CC) $(CPPFLAGS) $(CFLAGS) -dM -E -x c /dev/null
FORTIFY = $(eval FORTIFY := $(if $(asan),,$(shell $(MACROS) | awk '$$2 == "__OPTIMIZE__" { fast = 1 } \
	$$2 == "_FORTIFY_SOURCE" { own = 1 } $$2 == "__GNUC__" { version = $$3 } \
	END { if (fast && !own) print "-D_FORTIFY_SOURCE=" (version >= 12 ? 3 : 2) }')))$(FORTIFY)
STACK = -fstack-protector-strong
HARDEN = $(STACK) $(FORTIFY)
HARDEN_LINK = -Wl,-z,relro,-z,now
LIBS = -larchive -ljansson -lsqlite3 -lz -lm $(OPENMP_PROGRAM)
TEST_LIBS = -lcheck -lsubunit -lrt -lpthread
# Calls that test/machine/allocation_count.c and test/assertion_mark.c take from our objects
TEST_WRAPPED = -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free -Wl,--wrap=_mark_point

MACHINE = machine $(addprefix machine/,transit forward channel cycle plane word gather ranks)
LAYERS = base chart $(MACHINE) network/topology network/schemes network primitives routers expanders workloads search audit view library
# Only make MPI=1 compiles what knows MPI
LIBRARY = $(sort $(filter-out machine/ranks/ranks_mpi%,$(wildcard $(LAYERS:=/*.c))))
PROGRAM_LAYERS = lab cli
COMMANDS = $(sort $(filter-out cli/main.c $(LIBRARY),$(wildcard $(PROGRAM_LAYERS:=/*.c))))
VERSION := $(shell sed -n 's/^\#define MESHCAST_VERSION "\(.*\)"/\1/p' library/meshcast.h)
ABI := $(shell sed -n 's/^\#define MESHCAST_ABI //p' library/meshcast.h)
SONAME = libmeshcast.so.$(ABI)
LIBRARIES = $(BUILD)/libmeshcast.a $(BUILD)/libmeshcast.so.$(VERSION)
INSTALL = PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" ZSHDIR="$(ZSHDIR)" FISHDIR="$(FISHDIR)" DESTDIR="$(DESTDIR)" VERSION=$(VERSION) \
	PYTHONDIR="$(PYTHONDIR)" PRIVATE="$(LIBRARY_LIBS) $(if $(SERIAL),,-lpthread)" RANKS="$(if $(MPI),$(MPI_PROGRAM))" \
	sh library/install.sh $(PROGRAM) $(BUILD)
JOBS = $(shell getconf _NPROCESSORS_ONLN)
# The fuzzers have a main() of their own each, as what is in mpi/, and what is in preload/ is a library for one test
TESTS = $(filter-out test/fuzz/% test/mpi/% test/preload/%,$(wildcard test/*.c test/*/*.c))
# Suites that take long come first, so that all workers end at about one time
LONG_SUITES = tutorial router locality ranks ranks_planes engines capacity allocation help threads many_messages \
	determinism stream random search run_page pattern unicast_methods random_paper attempts replicate \
	expander_bounds install kernel
SUITES = $(LONG_SUITES) $(filter-out $(LONG_SUITES) mpi,$(sort $(patsubst test_%.c,%,$(filter test_%,$(notdir $(TESTS))))))
# Suites that have a long form: those which include test/length.h
LONG_FORMS = $(patsubst test_%.c,%,$(filter test_%,$(notdir $(shell grep -l 'include "test/length.h"' $(TESTS)))))
object = $(patsubst %.c,$(BUILD)/%.o,$(1))
# say: a short line instead of the command that follows it, which V=1 shows
say = $(if $(V),,@echo "$(1)";)
# What does not compile or link may lack packages
or_tell = || { CC="$(CC)" sh .ci/packages --tell $(BUILD_PACKAGES); exit 1; }
# All cores, unless the user said how many
parallel = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

# The serial program that tests compare with: of the same folder where BUILD was given
SERIAL_BUILD = $(if $(SERIAL),$(BUILD),$(if $(filter file,$(origin BUILD)),$\
build/serial$(if $(asan),-asan),$(BUILD)/serial))
SERIAL_PROGRAM = $(if $(SERIAL),$(PROGRAM),$(SERIAL_BUILD)/meshcast)

# Ranks by MPI (doc/ranks.md). Of an implementation of MPI only one object is its own; MPICC compiles it and links, in a
# folder of that name. Without MPICC, Debian's two are tested, and the first of them is built.
MPI_PACKAGES = libopenmpi-dev openmpi-bin libmpich-dev mpich
MPICCS = $(or $(MPICC),mpicc.openmpi mpicc.mpich)
mpi_program = $(BUILD)/$(notdir $(1))/meshcast-mpi
mpi_seam = $(BUILD)/$(notdir $(1))/seam
mpi_speed = $(BUILD)/$(notdir $(1))/ranks_speed
MPI_PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/,)meshcast-mpi

BUILD_PACKAGES = gcc libc6-dev make libarchive-dev zlib1g-dev libjansson-dev libsqlite3-dev
# The tests draw pictures, format the manual pages, complete words, open pages in a browser, and use the library from Python
TEST_PACKAGES = $(BUILD_PACKAGES) g++ check libpcg-cpp-dev pkgconf gnuplot-nox mandoc bash-completion \
	$(if $(filter 0,$(BROWSER)),,chromium) python3 $(addprefix python3-,cffi numpy scipy pandas networkx)

.PHONY: all test check-all check-long run-tests demo bench benches figures results tables worst papers install uninstall deb clean format fuzz
.PHONY: quotes coverage races page-test page-picture page-speed dependencies test-dependencies ranks always
MAKEFLAGS += --no-print-directory
all: $(PROGRAM) $(LIBRARIES) $(if $(MPI),$(MPI_PROGRAM))

# Plugins find the library's functions in the program, which shows those of the public headers and no other
$(PROGRAM): $(call object,$(LIBRARY) $(COMMANDS) cli/main.c)
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) -pie -rdynamic $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS) $(or_tell)

MPI_OBJECTS = $(addprefix $(BUILD)/$(notdir $(1))/,ranks_mpi.o ranks_mpi_border.o ranks_mpi_message.o)
compile_mpi = mkdir -p $$(@D) && $(1) -std=c11 $(REQUIRED) $$(HARDEN) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(MODE)
# For each implementation of MPI: the program, and what checks the seam alone, with a small piece (machine/ranks/ranks_mpi_private.h)
define mpi_rules
$(call mpi_program,$(1)): $(call object,$(filter-out machine/ranks/ranks_alone.c,$(LIBRARY)) $(COMMANDS) cli/main.c) \
		$(MPI_OBJECTS)
	$$(call say,link $$@)$(1) $(CFLAGS) $(MODE) -pie -rdynamic $(HARDEN_LINK) $(LDFLAGS) -o $$@ $$^ $(LIBS)
$(call mpi_seam,$(1)): $(call object,machine/ranks/ranks.c $(addprefix base/,failure.c memory.c available_memory.c pcg.c) test/ranks/ranks_case.c test/mpi/seam.c) $(MPI_OBJECTS:.o=_small.o)
	$$(call say,link $$@)$(1) $(CFLAGS) $(MODE) $(LDFLAGS) -o $$@ $$^
$(call mpi_speed,$(1)): $(call object,machine/ranks/ranks.c $(addprefix base/,failure.c memory.c available_memory.c stopwatch.c) bench/ranks_speed.c) $(MPI_OBJECTS)
	$$(call say,link $$@)$(1) $(CFLAGS) $(MODE) $(LDFLAGS) -o $$@ $$^
$(BUILD)/$(notdir $(1))/%_small.o: machine/ranks/%.c Makefile
	$$(call say,compile $$< with $(notdir $(1)))$(call compile_mpi,$(1)) -DRANKS_PIECE=1000 -c -o $$@ $$<
$(BUILD)/$(notdir $(1))/%.o: machine/ranks/%.c Makefile
	$$(call say,compile $$< with $(notdir $(1)))$(call compile_mpi,$(1)) -c -o $$@ $$<
endef
$(foreach mpicc,$(if $(MPI),$(MPICCS)),$(eval $(call mpi_rules,$(mpicc))))
$(if $(and $(MPI),$(filter all ranks install,$(or $(MAKECMDGOALS),all))),$(if $(or $(filter dependencies,$(MAKECMDGOALS)),\
	$(shell command -v $(firstword $(MPICCS)))),,\
	$(error $(firstword $(MPICCS)) is missing; `make dependencies MPI=1' installs what MPI needs)))

# Of the implementation that MPICC says now, whichever it was before
$(MPI_PROGRAM): $(call mpi_program,$(firstword $(MPICCS))) always
	@cmp -s $< $@ || cp --remove-destination $< $@

# Threads of OpenMP outlive a run, so the shared library stays where it was loaded.
# What is hidden in the shared library must not meet names of the user's in the static one either
$(BUILD)/libmeshcast.a: $(call object,$(LIBRARY))
	$(call say,link $@)$(CC) $(CFLAGS) $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -r -nostdlib -o $(@:.a=.o) $^
	@objcopy --localize-hidden $(@:.a=.o)
	@rm -f $@ && $(AR) rcsD $@ $(@:.a=.o)

$(BUILD)/libmeshcast.so.$(VERSION): $(call object,$(LIBRARY))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) $(HARDEN_LINK) $(LDFLAGS) -shared -Wl,-z,nodelete -Wl,-soname,$(SONAME) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/test/run: $(call object,$(LIBRARY) $(COMMANDS) $(TESTS))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) -rdynamic $(LDFLAGS) $(TEST_WRAPPED) -o $@ $^ $(LIBS) $(TEST_LIBS)

# These files pass small structs by address for every packet or word. The strong protector watches each
# of them, which costs up to 2.8 % of all instructions; here only arrays are watched.
HOT = $(addprefix machine/,parcel.c channel/channel_source.c transit/conveyor.c transit/link_queue.c word/word.c) \
	$(addprefix machine/forward/,forward_step.c forward_stop.c) \
	$(addprefix primitives/,prefix.c prefix_sparse.c unicast_route.c unicast_spread.c)
$(call object,$(HOT)): STACK = -fstack-protector

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,compile $<)$(CC) -std=c11 $(REQUIRED) $(HARDEN) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(MODE) -c -o $@ $< $(or_tell)

# Page parts: the sources of the page that shows a run, as bytes with a zero behind them, for view/run_page.c
PAGE_SCRIPTS = $(addprefix view/,blocks.js machine_run.js network_run.js colours.js mesh_view.js timeline_view.js selftest.js page.js)
as_bytes = @mkdir -p $(@D); cat $^ | od -An -v -td1 | sed 's/\([0-9-][0-9]*\)/\1,/g' >$@.new && echo 0 >>$@.new && mv $@.new $@
$(BUILD)/view/run_page.o: REQUIRED += -I$(BUILD)
$(BUILD)/view/run_page.o: $(addprefix $(BUILD)/view/,page.html.inc page.css.inc page_script.inc)
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
	@CC="$(CC)" sh .ci/packages $(BUILD_PACKAGES) $(if $(MPI),$(if $(MPICC),,$(MPI_PACKAGES)))

test-dependencies:
	@CC="$(CC)" CXX="$(CXX)" sh .ci/packages $(TEST_PACKAGES)

# What is missing must be there before anything is compiled, in a parallel make too
ifdef MPI
test: dependencies
	@CC="$(CC)" sh .ci/packages check
	@echo "make MPI=1 test: builds, then suite mpi for each of $(MPICCS)"
	@$(MAKE) $(parallel) $(foreach mpicc,$(MPICCS),$(call mpi_program,$(mpicc)) $(call mpi_seam,$(mpicc))) \
		$(PROGRAM) $(BUILD)/test/run
	@$(foreach mpicc,$(MPICCS),MESHCAST='$(abspath $(PROGRAM))' MESHCAST_MPI='$(abspath $(call mpi_program,$(mpicc)))' \
		MESHCAST_SEAM='$(abspath $(call mpi_seam,$(mpicc)))' MPIRUN='$(or $(MPIRUN),$(subst mpicc,mpirun,$(mpicc)))' \
		$(BUILD)/test/run $(if $(LONG),$(LONG)) mpi &&) true
else
test: test-dependencies
	@echo "make test: builds, then $(words $(SUITES)) suites; about 5 minutes on two quiet cores"
	@$(MAKE) $(parallel) run-tests
endif

# What takes long besides: larger meshes, more parameters, the serial build against threads
check-all: test-dependencies
	@echo "make check-all: builds, then $(words $(SUITES)) suites; about 12 minutes on two quiet cores"
	@$(MAKE) $(parallel) SERIAL=1 BUILD=$(SERIAL_BUILD) PROGRAM=$(SERIAL_PROGRAM) all
	@$(MAKE) $(parallel) LONG=--all run-tests

# What check-all does besides make test: the suites that have a long form, in that form
check-long: test-dependencies
	@echo "make check-long: builds, then the $(words $(LONG_FORMS)) suites of $(words $(SUITES)) that have a long form"
	@$(MAKE) $(parallel) SERIAL=1 BUILD=$(SERIAL_BUILD) PROGRAM=$(SERIAL_PROGRAM) all
	@$(MAKE) $(parallel) LONG=--long-forms run-tests

# All routers under clang's thread sanitizer, whose Archer knows the barriers of clang's OpenMP
races:
	@sh .ci/packages clang libomp-dev && sh .ci/packages "libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev"
	@$(MAKE) $(parallel) CC=clang BUILD=build/races PROGRAM=build/races/meshcast CFLAGS='-O1 -g -fsanitize=thread' build/races/meshcast
	@sh test/races.sh build/races/meshcast

demo: dependencies
	@$(MAKE) $(parallel) all
	@sh cli/demo.sh '$(abspath $(PROGRAM))'

run-tests: $(PROGRAM) $(LIBRARIES) $(BUILD)/test/run
	@MESHCAST='$(abspath $(PROGRAM))' MESHCAST_OBJECTS='$(abspath $(BUILD))' \
	$(if $(LONG),MESHCAST_SERIAL_PROGRAM='$(abspath $(SERIAL_PROGRAM))') \
	MESHCAST_MAKE='$(MAKE) SERIAL=$(SERIAL) asan=$(asan) BUILD=$(BUILD) PROGRAM=$(PROGRAM)' \
	MESHCAST_SANITIZE='$(if $(asan),$(SANITIZE))' MESHCAST_FORTIFY='$(FORTIFY)' CC='$(CC)' \
	$(BUILD)/test/run --jobs $(JOBS) $(LONG)

# Pages under a reader's hands, and the README's picture: these need node, npm, chromium and puppeteer-core from npm
PAGE_TEST = node test/view/page_test.mjs $(PROGRAM) $(BUILD)/page-test
page-test page-picture page-speed: $(PROGRAM) $(BUILD)/page-test/node_modules/puppeteer-core
page-test:
	@$(PAGE_TEST)
page-picture:
	@$(PAGE_TEST) doc/view.png
page-speed:
	@$(PAGE_TEST) $(PAGE)
$(BUILD)/page-test/node_modules/puppeteer-core:
	@mkdir -p $(BUILD)/page-test
	@npm install --silent --no-save --prefix $(BUILD)/page-test puppeteer-core@24

# What the commands of these pages print, put into them again
quotes: $(PROGRAM)
	sh doc/quote.sh $(PROGRAM) $(or $(PAGES),README.md $(addprefix doc/,tutorial.md model.md workloads.md paper.md replicate.md attempts.md))

benches: $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))

# How fast it is, in tables: an hour and more on two cores
bench: all benches
	$(BUILD)/bench/kernels
	$(BUILD)/bench/kernels sort 2048
	$(BUILD)/bench/speed -r 3 -1
	$(BUILD)/bench/network
	sh bench/figures.sh $(BUILD)/bench $(FIGURES)

# The tables of steps and packets; TABLES="NAME SIDE .." names one, as bench/tables.py says
tables: all
	@MESHCAST_LIBRARY=$(BUILD) python3 bench/tables.py $(TABLES)

# Which rates have fallen by half; FIGURES=new writes the file with which they are compared
figures: all $(BUILD)/bench/speed
	@sh bench/figures.sh $(BUILD)/bench $(FIGURES)

# How fast ranks are: with the first MPICC; SIDE, C and PAIRS say on which set and how often
ifdef MPI
ranks: all $(call mpi_speed,$(firstword $(MPICCS)))
	@sh bench/ranks.sh '$(abspath $(PROGRAM))' '$(abspath $(MPI_PROGRAM))' $(call mpi_speed,$(firstword $(MPICCS))) \
		'$(or $(MPIRUN),$(subst mpicc,mpirun,$(firstword $(MPICCS))))' '$(SIDE)' '$(C)'
else
ranks:
	@echo "ranks are built and measured by: make ranks MPI=1" >&2; exit 2
endif

results: all
	sh bench/results.sh '$(abspath $(PROGRAM))'

# Every router with each objective, each cost of copies and three meshes, for so long each
worst: all
	sh bench/worst.sh '$(abspath $(PROGRAM))' $(WORST_TRIES) $(WORST_ROUTERS)

# A quarter of an hour on two cores; QUICK=1: a minute, into build/papers and not the page
papers: all
	@sh .ci/packages python3 gnuplot-nox
	MESHCAST_LIBRARY=$(BUILD) python3 papers/experiments.py $(if $(QUICK),--quick --folder build/papers)
	python3 papers/page.py $(if $(QUICK),--folder build/papers --out build/papers)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(call object,$(LIBRARY) $(COMMANDS))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -o $@ $^ $(LIBS)
.SECONDARY:

include test/fuzz/fuzz.mk

format:
	clang-format-14 -i $(wildcard */*.c */*.h */*/*.c */*/*.h)

install: all
	@$(INSTALL) install

uninstall:
	@$(INSTALL) uninstall

# Debian packages, in build/deb, as lintian finds them good. Data of others, which only tests read, is left out.
DEB_TREE = build/deb/meshcast-$(VERSION)
deb:
	@sh .ci/packages $(BUILD_PACKAGES) build-essential debhelper dh-python python3 lintian
	@rm -rf build/deb && mkdir -p $(DEB_TREE)
	@{ git ls-files --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print; } | \
		grep -v -e '^\(\./\)*test/data/' -e '^\(\./\)*test/corpus/' | tar -c -T - | tar -x -C $(DEB_TREE)
	@cd $(DEB_TREE) && DEB_BUILD_OPTIONS=parallel=$(JOBS) MAKEFLAGS= MFLAGS= dpkg-buildpackage -us -uc
	@lintian --fail-on error,warning build/deb/meshcast_$(VERSION)_*.changes && ls build/deb/*.deb

clean:
	rm -rf build meshcast meshcast-mpi

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)
