/**
 * Refuses at startup what could not work: methods that no proxy reaches, keys that
 * nothing can be made of, results that end later.
 */
@NullMarked
package io.mongolock.interceptor.check;

import org.jspecify.annotations.NullMarked;
