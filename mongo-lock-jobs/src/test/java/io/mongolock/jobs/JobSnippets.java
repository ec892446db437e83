package io.mongolock.jobs;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.event.EventListener;

/**
 * The Java of docs/jobs.md, which the tests run.
 */
final class JobSnippets {

	private JobSnippets() {
	}

	/** The reports of a shop. */
	static class Reports {

		final List<String> written = new CopyOnWriteArrayList<>();

		@ScheduledJob(name = "nightly-report", cron = "${report.cron:0 0 3 * * *}", zone = "Europe/Berlin")
		void report(JobRun run) {
			write("report of " + run.tick());
		}

		@EventListener
		void on(JobRunEvent.Ended event) {
			write(event.run().job() + " " + event.run().outcome());
		}

		private void write(String text) {
			this.written.add(text);
		}

	}

	/** What a scheduler calls. */
	static class Imports {

		private final Jobs jobs;

		Imports(Jobs jobs) {
			this.jobs = jobs;
		}

		void fired(Instant due) {
			this.jobs.run("import", due, (run) -> read("orders"));
		}

		private void read(String what) {
		}

	}

}
