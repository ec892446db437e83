package io.mongolock.jobs;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.beans.factory.annotation.Value;
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

	/** The work of one job, divided. */
	static class Invoices {

		private static final ZoneId UTC = ZoneId.of("UTC");

		final Set<Integer> billed = ConcurrentHashMap.newKeySet();

		Invoices(Jobs jobs, @Value("${invoices.cron:0 0 3 * * *}") String cron) {
			for (int shard = 0; shard < 4; shard++) {
				int part = shard;
				jobs.schedule("invoices-" + part, JobSchedule.cron(cron, UTC), (run) -> bill(part));
			}
		}

		private void bill(int part) {
			this.billed.add(part);
		}

	}

	/** Work that goes on where the last run ended. */
	static class Exports {

		final List<String> exported = new CopyOnWriteArrayList<>();

		private final Jobs jobs;

		Exports(Jobs jobs) {
			this.jobs = jobs;
		}

		@ScheduledJob(name = "export", fixedRate = "1h")
		void export(JobRun run) {
			String from = this.jobs.previous(run).map((last) -> last.state().get("until")).orElse("0");
			this.jobs.state(run, Map.of("until", exportFrom(from)));
		}

		private String exportFrom(String from) {
			this.exported.add(from);
			return from + "0";
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
