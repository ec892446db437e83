/**
 * The actuator's view of the locks: {@link LocksEndpoint} shows and releases them,
 * {@link LocksEndpointWebExtension} does so over HTTP with the rights of the user.
 * {@link LockSearch} finds them by what {@link AskedLocks} reads, {@link LockDescriptors}
 * are the form of the answers, and {@link LockInfoContributor} shows the settings.
 */
@NullMarked
package io.mongolock.actuate;

import org.jspecify.annotations.NullMarked;
