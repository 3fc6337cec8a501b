# bench.mk - what measures, and what makes the pages' figures, a part of the Makefile.

benches: $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(call object,$(LIBRARY) $(COMMANDS))
	$(call say,link $@)$(CC) $(CFLAGS) $(MODE) $(LDFLAGS) -o $@ $^ $(LIBS)

# How fast it is, in tables: an hour and more on two cores
bench: all benches
	$(BUILD)/bench/speed -r 3 -1
	$(BUILD)/bench/network
	sh bench/figures.sh $(BUILD)/bench $(FIGURES)

# Which rates have fallen by half; FIGURES=new writes the file with which they are compared
figures: all $(BUILD)/bench/speed
	@sh bench/figures.sh $(BUILD)/bench $(FIGURES)

# Every CSV of results/, and the pictures, tables and quoted blocks of the pages: an hour on two cores; QUICK=1: small meshes,
# into build/results, and nothing of the tree changes
book: all
	@sh .ci/packages python3 gnuplot-nox metis scotch
	$(if $(QUICK),,sh bench/worst.sh '$(abspath $(PROGRAM))' 1)
	sh bench/book.sh '$(abspath $(PROGRAM))' $(if $(QUICK),quick)
	@$(MAKE) papers
	$(if $(QUICK),,@$(MAKE) quotes)

# Every router with each objective, each cost of copies and three meshes, with so many tries each
WORST_TRIES ?= 600
worst: all
	sh bench/worst.sh '$(abspath $(PROGRAM))' $(WORST_TRIES) $(WORST_ROUTERS)

# A quarter of an hour on two cores; QUICK=1: a minute, into build/papers and not the page
papers: all
	MESHCAST_LIBRARY=$(BUILD) python3 papers/experiments.py $(if $(QUICK),--quick --folder build/papers)
	python3 papers/page.py $(if $(QUICK),--folder build/papers --out build/papers)

# What the commands of these pages print, put into them again
quotes: all
	sh doc/quote.sh $(PROGRAM) $(or $(PAGES),README.md $(addprefix doc/,$(addsuffix .md,tutorial tutorial-load \
	tutorial-experts model workloads broken results trees worst reduce expanders paper replicate place)))
	$(if $(PAGES),,MESHCAST_LIBRARY=$(abspath $(BUILD)) $(or $(PYTHON),/usr/bin/python3) test/library/python_page.py doc/python.md --quote)

# Pages under a reader's hands, and the README's picture: these need node, npm, chromium and puppeteer-core from npm
PAGE_TEST = node test/view/page_test.mjs $(PROGRAM) $(BUILD)/page-test
page-test page-picture page-speed: $(PROGRAM) $(BUILD)/page-test/node_modules/puppeteer-core
	@$(PAGE_TEST) $(if $(filter page-picture,$@),doc/view.png) $(if $(filter page-speed,$@),$(PAGE))
$(BUILD)/page-test/node_modules/puppeteer-core:
	@mkdir -p $(BUILD)/page-test
	@npm install --silent --no-save --prefix $(BUILD)/page-test puppeteer-core@24
