# meshcast: `make demo` and `make test` do everything on a fresh Debian machine.
# Options: SERIAL=1 (no OpenMP), asan=1 (address and undefined-behaviour sanitizers), PARTS=2 (tests
# as two processes).

CFLAGS ?= -O3 -g
BUILD ?= build/$(if $(SERIAL),serial,omp)$(if $(asan),-asan)
PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/meshcast,meshcast)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
FUZZ_SECONDS ?= 30

# assert() guards the rules of the machine and is never compiled out
WARNINGS = -Wall -Wextra -Wshadow
REQUIRED = -I. -D_POSIX_C_SOURCE=200809L -MMD -MP
# One object serves the program and both libraries; what a build gives depends on no path
MODE = -UNDEBUG -ffp-contract=off -fPIC -fvisibility=hidden '-ffile-prefix-map=$(CURDIR)=.' \
	$(if $(SERIAL),-DMESHCAST_SERIAL,-fopenmp) $(if $(asan),$(SANITIZE))
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LIBRARY_LIBS = -lz -lm
LIBS = -ljansson -lsqlite3 -llapacke $(LIBRARY_LIBS)
TEST_LIBS = -lcheck -lsubunit -lrt -lpthread

LAYERS = machine primitives routers expanders workloads library
LIBRARY = $(sort $(wildcard $(LAYERS:=/*.c)))
COMMANDS = $(sort $(filter-out cli/main.c,$(wildcard cli/*.c)))
VERSION := $(shell sed -n 's/^\#define MESHCAST_VERSION "\(.*\)"/\1/p' library/meshcast.h)
SONAME = libmeshcast.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARIES = $(BUILD)/libmeshcast.a $(BUILD)/libmeshcast.so.$(VERSION)
INSTALL = PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" VERSION=$(VERSION) \
	PRIVATE="$(LIBRARY_LIBS) $(if $(SERIAL),,-lgomp)" sh library/install.sh $(PROGRAM) $(BUILD)
# Tests run as so many processes at once
PARTS = 1
FUZZERS = $(wildcard test/fuzz_*.c)
TESTS = $(filter-out $(FUZZERS),$(wildcard test/*.c))
object = $(patsubst %.c,$(BUILD)/%.o,$(1))

# The serial program that tests compare with: of the same folder where BUILD was given
SERIAL_BUILD = $(if $(SERIAL),$(BUILD),$(if $(filter file,$(origin BUILD)),$\
build/serial$(if $(asan),-asan),$(BUILD)/serial))
SERIAL_PROGRAM = $(if $(SERIAL),$(PROGRAM),$(SERIAL_BUILD)/meshcast)

BUILD_PACKAGES = gcc libc6-dev make zlib1g-dev libjansson-dev libsqlite3-dev liblapacke-dev
TEST_PACKAGES = $(BUILD_PACKAGES) g++ check libpcg-cpp-dev pkgconf

.PHONY: all test run-tests demo bench results growth install uninstall clean format fuzz
.PHONY: dependencies test-dependencies
MAKEFLAGS += --no-print-directory
all: $(PROGRAM) $(LIBRARIES)

$(PROGRAM): $(call object,$(LIBRARY) $(COMMANDS) cli/main.c)
	@echo "link $@"
	@$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -o $@ $^ $(LIBS)

# What is hidden in the shared library must not meet names of the user's in the static one either
$(BUILD)/libmeshcast.a: $(call object,$(LIBRARY))
	@echo "link $@"
	@$(CC) $(CFLAGS) $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -r -nostdlib -o $(@:.a=.o) $^
	@objcopy --localize-hidden $(@:.a=.o)
	@rm -f $@ && $(AR) rcsD $@ $(@:.a=.o)

$(BUILD)/libmeshcast.so.$(VERSION): $(call object,$(LIBRARY))
	@echo "link $@"
	@$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/test/run: $(call object,$(LIBRARY) $(COMMANDS) $(TESTS))
	@echo "link $@"
	@$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=c11 $(REQUIRED) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(MODE) -c -o $@ $<

dependencies:
	@CC="$(CC)" sh .ci/packages $(BUILD_PACKAGES)

test-dependencies:
	@CC="$(CC)" CXX="$(CXX)" sh .ci/packages $(TEST_PACKAGES)

# What is missing must be there before anything is compiled, in a parallel make too
test: test-dependencies
	$(MAKE) run-tests

demo: dependencies
	$(MAKE) all
	@sh cli/demo.sh $(abspath $(PROGRAM))

run-tests: $(PROGRAM) $(LIBRARIES) $(BUILD)/test/run
	$(if $(SERIAL),,$(MAKE) SERIAL=1 BUILD=$(SERIAL_BUILD) PROGRAM=$(SERIAL_PROGRAM) all)
	export MESHCAST=$(abspath $(PROGRAM)) MESHCAST_SERIAL_PROGRAM=$(abspath $(SERIAL_PROGRAM)) \
	MESHCAST_MAKE="$(MAKE) SERIAL=$(SERIAL) asan=$(asan) BUILD=$(BUILD) PROGRAM=$(PROGRAM)" \
	MESHCAST_SANITIZE="$(if $(asan),$(SANITIZE))" CC="$(CC)" \
	OMP_WAIT_POLICY=$${OMP_WAIT_POLICY:-passive} CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-120}; \
	share=$$(mktemp -d); status=0 others=; \
	for part in $$(seq 2 $(PARTS)); do $(BUILD)/test/run $$share & others="$$others $$!"; done; \
	$(BUILD)/test/run $(if $(filter 1,$(PARTS)),,$$share) || status=1; \
	for other in $$others; do wait $$other || status=1; done; rm -rf $$share; exit $$status

bench: all $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))
	sh bench/run.sh $(BUILD)/bench
	sh bench/expanders.sh $(abspath $(PROGRAM))

growth: all $(BUILD)/bench/growth
	sh bench/growth.sh $(BUILD)/bench

results: all
	sh bench/results.sh $(abspath $(PROGRAM))

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(call object,$(LIBRARY) $(COMMANDS))
	$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -o $@ $^ $(LIBS)
.SECONDARY:

# A fuzzer's corpus is test/corpus/NAME; what is found stays in the build folder
fuzz: $(FUZZERS:test/fuzz_%.c=$(BUILD)/fuzz/%)
	set -e; for f in $^; do mkdir -p $$f.corpus; cp test/corpus/$${f##*/}/* $$f.corpus; \
	$$f -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$$f. -verbosity=0 -print_final_stats=1 $$f.corpus; done

FUZZ_SANITIZE = address,undefined -fno-sanitize-recover=all
$(BUILD)/fuzz/%: $(BUILD)/fuzz/test/fuzz_%.o $(LIBRARY:%.c=$(BUILD)/fuzz/%.o)
	clang -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $@ $^ -lz -lm

$(BUILD)/fuzz/%.o: %.c Makefile
	@mkdir -p $(@D)
	clang -std=c11 $(REQUIRED) -DMESHCAST_SERIAL -g -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -c -o $@ $<

format:
	clang-format -i $(wildcard */*.c */*.h)

install: all
	@$(INSTALL) install

uninstall:
	@$(INSTALL) uninstall

clean:
	rm -rf build meshcast

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/fuzz/*/*.d)
