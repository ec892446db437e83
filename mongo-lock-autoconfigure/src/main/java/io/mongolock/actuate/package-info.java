/**
 * The actuator's view of the locks. {@link LocksEndpoint} shows and releases locks.
 * {@link LocksEndpointWebExtension} does so over HTTP with the rights of the user.
 * {@link LockSearch} finds the locks that {@link AskedLocks} reads from a request, but
 * none by its holder for a user who may see no owners. {@link LockDescriptors} are the
 * answers. {@link LockInfoContributor} shows the settings.
 */
@NullMarked
package io.mongolock.actuate;

import org.jspecify.annotations.NullMarked;
