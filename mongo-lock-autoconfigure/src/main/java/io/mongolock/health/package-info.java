/**
 * Whether the locks can be relied on now.
 */
@NullMarked
package io.mongolock.health;

import org.jspecify.annotations.NullMarked;
