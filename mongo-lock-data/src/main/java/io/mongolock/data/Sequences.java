package io.mongolock.data;

import java.util.Map;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

import io.mongolock.data.store.SequenceStore;

/**
 * Gives out the numbers of named sequences: 1, 2, 3 and so on, however many instances
 * ask. No number is given out twice. Numbers are taken outside of any transaction, like
 * the numbers of a sequence in a relational database. So a rollback or a lost answer
 * leaves a gap. A sequence needs no declaration. Thread-safe.
 */
public interface Sequences {

	/**
	 * The next number of a sequence.
	 * @param name the name of the sequence
	 * @return the number
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 * @throws DataIntegrityViolationException if there are no more numbers
	 */
	long next(String name);

	/**
	 * The next numbers of a sequence, without a gap between them, in one request.
	 * @param name the name of the sequence
	 * @param count how many, at least 1
	 * @return the numbers
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 * @throws DataIntegrityViolationException if there are not enough numbers left
	 */
	SequenceRange next(String name, int count);

	/**
	 * Give out only higher numbers from now on, for example after an import of documents
	 * that already have numbers. A sequence that is already higher does not change.
	 * Blocks that other instances have reserved before are not affected.
	 * @param name the name of the sequence
	 * @param number the highest number that is in use, not negative
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 */
	void raiseTo(String name, long number);

	/**
	 * Create the sequences of one collection.
	 * @param store the store of the sequences
	 * @param settings the settings by name; all other sequences have
	 * {@link SequenceSettings#DEFAULT}
	 * @return the sequences
	 */
	static Sequences of(SequenceStore store, Map<String, SequenceSettings> settings) {
		return new StoredSequences(store, settings);
	}

}
