/**
 * Claims locks, keeps them and gives them back: state machines that decide, and the
 * threads that run them.
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
