# ranks.mk - ranks by MPI, a part of the Makefile with MPI=1: `make MPI=1`, `make MPI=1 test`, `make MPI=1 ranks`.
#
# MPICC compiles and links what knows MPI, in a folder of its name; everything else is that of the ordinary build.
# Without MPICC, `make MPI=1 test` tests with Debian's two implementations; all else uses the first.

MPICC ?= mpicc.openmpi
MPICCS = $(if $(filter file,$(origin MPICC)),mpicc.openmpi mpicc.mpich,$(MPICC))
MPIRUN ?= $(subst mpicc,mpirun,$(MPICC))
MPI_BUILD = $(BUILD)/$(notdir $(MPICC))
MPI_PROGRAM ?= $(if $(SERIAL)$(asan),$(BUILD)/)meshcast-mpi
MPI_OBJECTS = $(patsubst machine/ranks/%.c,$(MPI_BUILD)/%.o,$(wildcard machine/ranks/ranks_mpi*.c))
compile_mpi = $(call say,compile $< with $(notdir $(MPICC)))mkdir -p $(@D) && $(MPICC) $(COMPILE) $(1) -c -o $@ $< $(or_tell)
link_mpi = $(call say,link $@)$(MPICC) $(CFLAGS) $(MODE) $(1) $(LDFLAGS) -o $@ $^

$(MPI_BUILD)/meshcast-mpi: $(call object,$(LIBRARY) $(COMMANDS) cli/main.c) $(MPI_OBJECTS)
	$(call link_mpi,-pie -rdynamic $(HARDEN_LINK)) $(LIBS)

all: $(MPI_PROGRAM)

# What checks the seam by itself sends small pieces (machine/ranks/ranks_mpi.c)
SEAM = $(addprefix base/,failure.c memory.c parallel.c) machine/ranks/ranks.c
$(MPI_BUILD)/seam: $(call object,$(SEAM) base/pcg.c test/ranks/ranks_case.c test/mpi/seam.c) $(MPI_OBJECTS:.o=_small.o)
	$(call link_mpi) $(OPENMP)
$(MPI_BUILD)/ranks_speed: $(call object,$(SEAM) bench/ranks_speed.c) $(MPI_OBJECTS)
	$(call link_mpi) $(OPENMP)

$(MPI_BUILD)/%_small.o: machine/ranks/%.c Makefile
	$(call compile_mpi,-DRANKS_PIECE=1000)
$(MPI_BUILD)/%.o: machine/ranks/%.c Makefile
	$(call compile_mpi)

# Of the implementation that MPICC names now, whichever it was before
$(MPI_PROGRAM): $(MPI_BUILD)/meshcast-mpi always
	@cmp -s $< $@ || cp --remove-destination $< $@

test: dependencies
	@CC="$(CC)" sh .ci/packages check
	@echo "make MPI=1 test: builds, then suite mpi for each of $(MPICCS)"
	@for mpicc in $(MPICCS); do $(MAKE) $(parallel) MPICC=$$mpicc mpi-test || exit 1; done

mpi-test: $(PROGRAM) $(BUILD)/test/run $(addprefix $(MPI_BUILD)/,meshcast-mpi seam)
	@MESHCAST='$(abspath $(PROGRAM))' MESHCAST_MPI='$(abspath $(MPI_BUILD)/meshcast-mpi)' \
		MESHCAST_SEAM='$(abspath $(MPI_BUILD)/seam)' MPIRUN='$(MPIRUN)' $(BUILD)/test/run $(LONG) mpi

# How fast ranks are; SIDE and C say on which set
ranks: all $(MPI_BUILD)/ranks_speed
	@sh bench/ranks.sh '$(abspath $(PROGRAM))' '$(abspath $(MPI_PROGRAM))' $(MPI_BUILD)/ranks_speed '$(MPIRUN)' '$(SIDE)' '$(C)'

-include $(wildcard $(MPI_BUILD)/*.d)
