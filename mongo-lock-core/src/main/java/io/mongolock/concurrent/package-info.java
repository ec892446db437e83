/**
 * What {@code java.util.concurrent} has, under locks: its {@code Lock}, whose owner is a
 * thread, and work that ends with a stage and begins with what its caller's thread
 * carries.
 */
@NullMarked
package io.mongolock.concurrent;

import org.jspecify.annotations.NullMarked;
