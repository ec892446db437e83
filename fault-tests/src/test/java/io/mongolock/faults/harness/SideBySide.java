package io.mongolock.faults.harness;

import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.support.hierarchical.DefaultParallelExecutionConfigurationStrategy;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfiguration;
import org.junit.platform.engine.support.hierarchical.ParallelExecutionConfigurationStrategy;

import io.mongolock.test.server.SuiteServer;

/**
 * How many test classes run at a time, as {@code junit-platform.properties} names this
 * class: as many as are fixed there, as rows wait most of their time, each on an embedded
 * server of its own; one where they share the server that is given.
 */
public final class SideBySide implements ParallelExecutionConfigurationStrategy {

	@Override
	public ParallelExecutionConfiguration createConfiguration(ConfigurationParameters parameters) {
		return ((SuiteServer.isShared()) ? DefaultParallelExecutionConfigurationStrategy.DYNAMIC
				: DefaultParallelExecutionConfigurationStrategy.FIXED)
			.createConfiguration(parameters);
	}

}
