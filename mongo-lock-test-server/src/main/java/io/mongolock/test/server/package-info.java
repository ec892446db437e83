/**
 * Which server tests run on.
 */
@NullMarked
package io.mongolock.test.server;

import org.jspecify.annotations.NullMarked;
