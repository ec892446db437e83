package kotlin.coroutines;

/**
 * Stands for Kotlin, of which only this name matters here.
 *
 * @param <T> the result
 */
public interface Continuation<T> {

}
