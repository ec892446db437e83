package io.mongolock.dashboard;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.actuate.LocksEndpointWebExtension;
import io.mongolock.autoconfigure.LockEndpointAutoConfiguration;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.LockTemplate;

/**
 * Auto-configuration for the page that shows the locks, if the page is exposed and locks
 * are used.
 */
@AutoConfiguration(after = { MongoLockAutoConfiguration.class, LockEndpointAutoConfiguration.class },
		before = ManagementContextAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnBean(LockTemplate.class)
@ConditionalOnAvailableEndpoint(DashboardEndpoint.class)
@ImportRuntimeHints(PageFiles.Hints.class)
public final class DashboardAutoConfiguration {

	@Bean
	LockActivity mongoLockActivity(LockClock clock) {
		return new LockActivity(clock);
	}

	@Bean
	ActivitySource mongoLockActivitySource(LockActivity activity, ObjectProvider<LockTemplate> template) {
		return new ActivitySource(activity, template.getIfAvailable());
	}

	@Bean
	DashboardEndpoint mongoLocksDashboardEndpoint(ObjectProvider<PathMappedEndpoints> paths,
			EndpointAccessResolver access, ObjectProvider<LocksEndpointWebExtension> locks, LockOwner owner) {
		return new DashboardEndpoint(paths::getObject, access, locks.getIfAvailable(), owner);
	}

}
