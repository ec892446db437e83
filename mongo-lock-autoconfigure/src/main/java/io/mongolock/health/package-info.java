/**
 * The health of the locks: whether you can rely on them now. {@link LockHealthIndicator}
 * answers; {@link LockTrouble} remembers what it has to say for a while, and
 * {@link WriteProof} when a majority last took a write.
 */
@NullMarked
package io.mongolock.health;

import org.jspecify.annotations.NullMarked;
