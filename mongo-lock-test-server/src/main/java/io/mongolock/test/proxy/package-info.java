/**
 * A TCP proxy in front of a MongoDB server that loses, delays, holds and doubles requests
 * and replies by command.
 */
@NullMarked
package io.mongolock.test.proxy;

import org.jspecify.annotations.NullMarked;
