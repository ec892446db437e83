/**
 * The beans that Spring Boot sets up by itself.
 * <ul>
 * <li>{@link MongoLockAutoConfiguration} imports the parts, each a configuration of its
 * own: {@link LockClientConfiguration} the client, with {@link LockStoreConfiguration}
 * the store and {@link ServerClockConfiguration} the watch over servers, and
 * {@link UnlockedConfiguration} the opposite of all that. {@link CallerStates} are what
 * work takes along of its caller's thread, {@link LockOwnerFactory} says who the
 * application is, and {@link LockAutoProxyRegistrar} has advisors heard. Those whose
 * technology is optional are auto-configurations beside it:
 * {@link LockEndpointAutoConfiguration}, {@link LockHealthAutoConfiguration},
 * {@link LockInfoAutoConfiguration}, {@link LockMetricsAutoConfiguration},
 * {@link LockObservationAutoConfiguration} and {@link LockWebAutoConfiguration}.</li>
 * <li>Settings: {@link MongoLockProperties} are all, but for the
 * {@link LocksEndpointProperties}; {@link LockSettingsValidator} refuses values that
 * contradict each other, and names the property by {@link LockProperty};
 * {@link LockPropertyNames} and {@link VariableNames} report names that nothing reads, by
 * the {@link SettingNames}; {@link ConditionalOnSetting} is the condition on a
 * switch.</li>
 * <li>The database of the locks: {@link LockDatabase}, in which {@link StoreCheck} tries
 * what the locks need.</li>
 * <li>Modules: they build on {@link ApplicationLockEnvironment}.</li>
 * <li>Start and end: {@link LockLifecycle} ends all clients, {@link StartReport} logs one
 * line at startup, {@link SpringBootVersionCheck} and {@link LockStartupFailureAnalyzer}
 * explain a startup that fails.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.autoconfigure;

import org.jspecify.annotations.NullMarked;
