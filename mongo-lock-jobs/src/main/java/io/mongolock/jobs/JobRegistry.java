package io.mongolock.jobs;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The jobs of this application by their names. Thread-safe.
 */
final class JobRegistry {

	private final Map<String, Job> jobs = new ConcurrentHashMap<>();

	private volatile Consumer<Job> listener = (job) -> {
	};

	private volatile Consumer<Job> leaving = (job) -> {
	};

	/**
	 * Add a job.
	 * @return whether there was no job with this name
	 */
	boolean add(Job job) {
		boolean added = this.jobs.putIfAbsent(job.name(), job) == null;
		if (added) {
			this.listener.accept(job);
		}
		return added;
	}

	/**
	 * Remove a job.
	 * @return whether it was there
	 */
	boolean remove(Job job) {
		boolean removed = this.jobs.remove(job.name(), job);
		if (removed) {
			this.leaving.accept(job);
		}
		return removed;
	}

	@Nullable Job find(String name) {
		return this.jobs.get(name);
	}

	Collection<Job> all() {
		return List.copyOf(this.jobs.values());
	}

	/**
	 * Notify listeners of all jobs, and of jobs that are added or removed later. A
	 * listener may hear of a job twice.
	 */
	void listen(Consumer<Job> listener, Consumer<Job> leaving) {
		this.leaving = leaving;
		this.listener = listener;
		all().forEach(listener);
	}

}
