# meshcast: `make demo` and `make test` do everything on a fresh Debian machine.
# Options: SERIAL=1 (no OpenMP), asan=1 (address and undefined-behaviour sanitizers).

CFLAGS ?= -O3 -g
BUILD ?= build/$(if $(SERIAL),serial,omp)$(if $(asan),-asan)
PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/meshcast,meshcast)
PREFIX ?= /usr/local

# assert() guards the rules of the machine and is never compiled out
override CFLAGS += -std=c11 -Wall -Wextra -Wshadow -ffp-contract=off -UNDEBUG -MMD -MP
override CPPFLAGS += -I. -D_POSIX_C_SOURCE=200809L
ifdef SERIAL
override CPPFLAGS += -DMESHCAST_SERIAL
else
override CFLAGS += -fopenmp
endif
ifdef asan
override CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
LIBS = -ljansson -lz -lm
TEST_LIBS = -lcheck -lsubunit -lrt -lpthread

LIBRARY = $(wildcard machine/*.c primitives/*.c routers/*.c expanders/*.c workloads/*.c)
COMMANDS = $(filter-out cli/main.c,$(wildcard cli/*.c))
TESTS = $(filter-out test/fuzz_%.c,$(wildcard test/*.c))
object = $(patsubst %.c,$(BUILD)/%.o,$(1))

.PHONY: all test demo bench install uninstall clean format fuzz dependencies test-dependencies
all: $(PROGRAM)

$(PROGRAM): $(call object,$(LIBRARY) $(COMMANDS) cli/main.c)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/test/run: $(call object,$(LIBRARY) $(COMMANDS) $(TESTS))
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(TEST_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

-include $(wildcard $(BUILD)/*/*.d)

clean:
	rm -rf build meshcast
