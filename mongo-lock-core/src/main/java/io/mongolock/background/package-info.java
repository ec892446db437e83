/**
 * Work of the client in the background, without threads of its own: the loop of the
 * client runs each {@link BackgroundTask}. A {@link StoreWatch} decides when a watch over
 * releases or recalls is opened and closed.
 */
@NullMarked
package io.mongolock.background;

import org.jspecify.annotations.NullMarked;
