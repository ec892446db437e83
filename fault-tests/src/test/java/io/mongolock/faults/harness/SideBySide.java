package io.mongolock.faults.harness;

import java.util.concurrent.ForkJoinPool;
import java.util.function.Predicate;

import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfiguration;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfigurationStrategy;

import io.mongolock.test.server.SuiteServer;

/**
 * How many test classes run at a time, as {@code junit-platform.properties} names this
 * class: several, as rows wait most of their time, each on an embedded server of its own;
 * one where they share the server that is given.
 */
public final class SideBySide implements ParallelExecutionConfigurationStrategy {

	private static final int CLASSES = 6;

	@Override
	public ParallelExecutionConfiguration createConfiguration(ConfigurationParameters parameters) {
		return new Threads((SuiteServer.isShared()) ? 1 : CLASSES);
	}

	/**
	 * Threads without a replacement for those that wait.
	 *
	 * @param count how many
	 */
	private record Threads(int count) implements ParallelExecutionConfiguration {

		@Override
		public int getParallelism() {
			return this.count;
		}

		@Override
		public int getMinimumRunnable() {
			return 1;
		}

		@Override
		public int getMaxPoolSize() {
			return this.count;
		}

		@Override
		public int getCorePoolSize() {
			return this.count;
		}

		@Override
		public int getKeepAliveSeconds() {
			return 30;
		}

		@Override
		public Predicate<? super ForkJoinPool> getSaturatePredicate() {
			return (pool) -> true;
		}

	}

}
