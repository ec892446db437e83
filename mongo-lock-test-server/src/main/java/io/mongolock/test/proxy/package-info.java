/**
 * A TCP proxy in front of a MongoDB server. It loses, delays, holds and doubles requests
 * and replies of chosen commands.
 */
@NullMarked
package io.mongolock.test.proxy;

import org.jspecify.annotations.NullMarked;
