"""What arrives in one place is read by a server, and the results are put in another: once.

A file has been read when its marker lies among the results. Results are put before the marker,
each whole or not at all, and a document is submitted under a key made of its content, its name
and the options: whatever is repeated after a crash finds the same job, and puts the same bytes.
So nothing has to be remembered but what lies in the two places, and several watchers of one
place do no harm.

    notes     what lies beside the results: markers, and why a file was not read
    deciding  which files are to be read now
    reading   one file, from its copy to its marker
    watcher   looks, and reads several files at once
"""
