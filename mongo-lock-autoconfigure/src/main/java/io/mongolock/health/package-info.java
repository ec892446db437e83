/**
 * The health of the locks: whether you can rely on them now.
 */
@NullMarked
package io.mongolock.health;

import org.jspecify.annotations.NullMarked;
