/**
 * The beans that Spring Boot configures automatically.
 * <ul>
 * <li>{@link MongoLockAutoConfiguration} imports the other configurations.
 * {@link LockClientConfiguration} has the client. With it come
 * {@link LockStoreConfiguration} for the store and {@link ServerClockConfiguration} for
 * the watch over servers. {@link UnlockedConfiguration} replaces all of these if locks
 * are switched off. {@link CallerStates} has the values that work takes along from its
 * caller's thread. {@link LockOwnerFactory} describes the application.
 * {@link LockAutoProxyRegistrar} makes advisors effective. Optional technologies have
 * auto-configurations of their own: {@link LockEndpointAutoConfiguration},
 * {@link LockHealthAutoConfiguration}, {@link LockInfoAutoConfiguration},
 * {@link LockMetricsAutoConfiguration}, {@link LockObservationAutoConfiguration} and
 * {@link LockWebAutoConfiguration}.</li>
 * <li>Settings: {@link MongoLockProperties} has all settings except
 * {@link LocksEndpointProperties}. {@link LockSettingsValidator} refuses values that
 * contradict each other, and finds the property to name by {@link LockProperty}.
 * {@link LockPropertyNames} and {@link VariableNames} report names that nothing reads.
 * They use {@link SettingNames}. {@link ConditionalOnSetting} is the condition on a
 * switch.</li>
 * <li>The database of the locks: {@link LockDatabase} finds the database.
 * {@link StoreCheck} checks there what the locks need.</li>
 * <li>Modules: {@link ApplicationLockEnvironment} opens clients for their stores.</li>
 * <li>Start and end: {@link LockLifecycle} ends all clients within the shutdown timeout.
 * {@link StartReport} logs one line at startup. {@link SpringBootVersionCheck} and
 * {@link LockStartupFailureAnalyzer} explain a failed startup.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.autoconfigure;

import org.jspecify.annotations.NullMarked;
