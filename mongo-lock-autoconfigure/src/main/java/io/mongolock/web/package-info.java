/**
 * {@link LockProblemDetails} answers HTTP callers if another holder has their lock, or if
 * the store fails.
 */
@NullMarked
package io.mongolock.web;

import org.jspecify.annotations.NullMarked;
