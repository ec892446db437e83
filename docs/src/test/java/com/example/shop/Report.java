package com.example.shop;

import org.springframework.stereotype.Component;

import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.ScheduledJob;

@Component
public class Report {

	@ScheduledJob(name = "report", cron = "*/20 * * * * *", zone = "UTC")
	public void report(JobRun run) throws InterruptedException {
		System.out.println("Reports for " + run.tick() + ", attempt " + run.attempt());
		Thread.sleep(5000);
		System.out.println("Reported for " + run.tick());
	}

}
