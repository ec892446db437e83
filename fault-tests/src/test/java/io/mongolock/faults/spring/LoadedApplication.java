package io.mongolock.faults.spring;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockLostException;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.worker.WorkerLoop;

/**
 * An application that is never idle: each of its threads works under one lock after the
 * other, on few keys, until the application shuts down.
 */
public final class LoadedApplication {

	static final int KEYS = 4;

	private static final int THREADS = 12;

	private static final long WORK_NANOS = 5_000_000;

	private final GuardedService service;

	private final AtomicLong sections = new AtomicLong();

	private LoadedApplication(GuardedService service) {
		this.service = service;
	}

	public static void main(String[] args) throws IOException {
		ConfigurableApplicationContext context = SpringApplication.run(GuardedApplication.class, args);
		LoadedApplication application = new LoadedApplication(context.getBean(GuardedService.class));
		for (int thread = 0; thread < THREADS; thread++) {
			new Thread(application::work, "load-" + thread).start();
		}
		new WorkerLoop().on("sections", (none) -> String.valueOf(application.sections.get())).run();
	}

	private void work() {
		try {
			while (true) {
				this.service.busy(ThreadLocalRandom.current().nextInt(KEYS), () -> LockSupport.parkNanos(WORK_NANOS));
				this.sections.incrementAndGet();
			}
		}
		catch (LockUnavailableException | LockLostException ex) {
			System.out.println("Ended: " + ex.getMessage());
		}
	}

}
