/**
 * Jobs that run once per tick, whatever the clocks and the number of instances:
 * {@link ScheduledJob} declares one, {@link Jobs} runs one by code, {@link JobRun} is
 * what is kept of each run, and {@link JobRunEvent} is heard when one begins or ends.
 */
@NullMarked
package io.mongolock.jobs;

import org.jspecify.annotations.NullMarked;
