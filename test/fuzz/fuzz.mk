# fuzz.mk - the fuzzers, a part of the Makefile: `make fuzz` and `make coverage`.
#
# fuzz_NAME.c is a fuzzer, whose corpus is test/corpus/NAME; the other files here serve all of them.

FUZZ_SECONDS ?= 30
FUZZ_CC = clang
FUZZERS = $(wildcard test/fuzz/fuzz_*.c)
FUZZ_TOOLS = $(filter-out $(FUZZERS),$(wildcard test/fuzz/*.c))
FUZZ_PROGRAMS = $(FUZZERS:test/fuzz/fuzz_%.c=$(BUILD)/fuzz/%)

# What is found stays in the build folder. A fuzzer a core at a time; a line for each that ended well, and at the end
# what the others said. FUZZ_SEED other than 0 makes each try the same inputs in the same order.
FUZZ_SEED ?= 0
fuzz: $(FUZZ_PROGRAMS)
	@rm -f $(FUZZ_PROGRAMS:=.failed)
	@printf '%s\n' $^ | xargs -P $(JOBS) -I % sh -c '{ mkdir -p %.corpus && cp test/corpus/$$(basename %)/* %.corpus && \
	% -max_total_time=$(FUZZ_SECONDS) -seed=$(FUZZ_SEED) -timeout=300 -artifact_prefix=%. -verbosity=0 -print_final_stats=1 \
	%.corpus; } >%.log 2>&1 || : >%.failed; awk -v name=% "/number_of_executed/ { print name \": \" \$$2 \" inputs\" }" %.log' || :
	@for log in $(FUZZ_PROGRAMS); do [ ! -e $$log.failed ] || { echo "$$log failed:"; tail -60 $$log.log; }; done
	@! ls $(FUZZ_PROGRAMS:=.failed) 2>/dev/null | grep .

# The branches of every reader that the corpora take; the runs are of the corpora alone
coverage: $(FUZZ_PROGRAMS:$(BUILD)/fuzz/%=$(BUILD)/coverage/%)
	@sh test/fuzz/coverage.sh $(BUILD)/coverage

FUZZ_SANITIZE = address,undefined -fno-sanitize-recover=all
# Where a profile goes if LLVM_PROFILE_FILE does not say (test/fuzz/coverage.sh does): not to the root
FUZZ_PROFILE = -fprofile-instr-generate=$(BUILD)/coverage/default.raw
FUZZ_BUILD = -std=c11 $(REQUIRED) -DMESHCAST_SERIAL -g -c
# Calls that test/fuzz/faults.c takes from meshcast's objects
FUZZ_WRAPPED = malloc calloc realloc strdup open_memstream inflate inflateInit2_ deflateInit2_ fopen open read close lseek \
	nanosleep statvfs
FUZZ_LINK = $(FUZZ_WRAPPED:%=-Wl,--wrap=%)
fuzz_objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(LIBRARY) $(COMMANDS) $(FUZZ_TOOLS))

$(BUILD)/fuzz/%: $(BUILD)/fuzz/test/fuzz/fuzz_%.o $(call fuzz_objects,fuzz)
	$(call say,link $@)$(FUZZ_CC) -fsanitize=fuzzer,$(FUZZ_SANITIZE) $(FUZZ_LINK) -o $@ $^ $(LIBS)

$(BUILD)/fuzz/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,compile $<)$(FUZZ_CC) $(FUZZ_BUILD) -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -o $@ $<

# The page's sources as bytes, which its object holds (Makefile)
PAGE_OBJECTS = $(BUILD)/fuzz/view/run_page.o $(BUILD)/coverage/view/run_page.o
$(PAGE_OBJECTS): FUZZ_BUILD += -I$(BUILD)
$(PAGE_OBJECTS): $(PAGE_PARTS)

$(BUILD)/coverage/%: $(BUILD)/coverage/test/fuzz/fuzz_%.o $(call fuzz_objects,coverage)
	$(call say,link $@)$(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_PROFILE) $(FUZZ_LINK) -o $@ $^ $(LIBS)

$(BUILD)/coverage/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,compile $<)$(FUZZ_CC) $(FUZZ_BUILD) -O1 $(FUZZ_PROFILE) -fcoverage-mapping -o $@ $<

-include $(wildcard $(BUILD)/fuzz/*/*.d $(BUILD)/fuzz/*/*/*.d $(BUILD)/coverage/*/*.d $(BUILD)/coverage/*/*/*.d)
